// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    void remove(ncclComm_t comm);

    /// The first error any of the measured ones has met. A root that does not block is asked by the
    /// thread that waits for it alone: asking ends its jobs.
    ncclResult_t error();

    /// Aborts all, so that GPUs and peers are released. May take as long as the library likes.
    void abort_all() noexcept;

  private:
    struct Entry {
        ncclComm_t comm;
        Kind kind;
    };
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

LiveCommunicators& live_communicators();

}  // namespace railgauge
