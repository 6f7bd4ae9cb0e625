// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "nccl/profiler_exchange.hpp"

namespace railgauge::nccl_profiler {

/// One event's names, as NCCL gives them: any may be null.
struct Sighting {
    const char* operation = nullptr;
    const char* algorithm = nullptr;
    const char* protocol = nullptr;
    const char* datatype = nullptr;
    std::uint64_t elements = 0;
    std::uint32_t channels = 0;
};

/// The distinct (operation, algorithm, protocol, channels) seen, with their counts. Fixed storage:
/// noting allocates nothing. All members may be called from any thread.
class UseTable {
  public:
    static constexpr std::size_t capacity = 64;

    void note(const Sighting& sighting) noexcept;
    void reset() noexcept;

    /// Writes at most `most` entries; how many there are, the one of profiler_more included.
    int read(ProfilerUse* out, int most) const noexcept;

  private:
    mutable std::mutex mutex_;
    std::array<ProfilerUse, capacity> uses_{};
    std::size_t used_ = 0;
    std::uint64_t not_kept_ = 0;
};

}  // namespace railgauge::nccl_profiler
