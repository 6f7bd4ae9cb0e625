// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace railgauge::nccl_profiler {

/// NCCL's activation masks: NCCL reads one before each operation and reports the events whose bits
/// are set. Communicators of one process share one mask; nothing here relies on that. All members
/// may be called from any thread.
class Activation {
  public:
    /// A mask and how many communicators use it.
    struct MaskUse {
        int* mask = nullptr;
        std::size_t communicators = 0;
    };

    /// Begins to govern the mask of one more communicator. None when there are too many masks: then
    /// that communicator reports nothing.
    MaskUse* enter(int* mask) noexcept;
    void leave(MaskUse* use) noexcept;

    void set(bool active) noexcept;
    bool active() const noexcept { return active_.load(std::memory_order_relaxed); }

  private:
    void write(int* mask) const noexcept;

    std::mutex mutex_;
    std::atomic<bool> active_{false};
    std::array<MaskUse, 16> masks_{};
};

}  // namespace railgauge::nccl_profiler
