// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <nccl.h>

namespace railgauge {

/// The open communicators of this process, for the thread that watches it: it must reach them while
/// the measuring thread is stuck in one.
class LiveCommunicators {
  public:
    enum class Kind { root, measured };

    void add(ncclComm_t comm, Kind kind);

    /// @return whether it was still there: else another thread has aborted it
    bool remove(ncclComm_t comm);

    bool contains(ncclComm_t comm);

    /// What has become of a communicator, asked while nobody aborts it. If another thread has, the
    /// process is about to end, and this does not return before.
    ncclResult_t state_of(ncclComm_t comm);

    /// The first error any of the measured ones has met. A root that does not block is asked by the
    /// thread that waits for it alone: asking ends its jobs.
    ncclResult_t error();

    /// Aborts all, so that GPUs and peers are released. May take as long as the library likes.
    void abort_all() noexcept;

    /// Whether abort_all() was called: what fails now fails because of that.
    bool is_abandoned() const noexcept { return is_abandoned_.load(); }

  private:
    static void wait_for_end_of_process();

    struct Entry {
        ncclComm_t comm;
        Kind kind;
    };
    std::mutex mutex_;
    std::atomic<bool> is_abandoned_{false};
    std::vector<Entry> entries_;
};

LiveCommunicators& live_communicators();

}  // namespace railgauge
