// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "measure/progress.hpp"
#include "mpi/board/frame.hpp"

namespace railgauge::board {

/// Watches this rank's Progress and the CPU time of the thread that constructs the watch.
class PulseWatch {
  public:
    PulseWatch(const Progress& progress, Instant now);

    /// A beat of this rank, without rank and host.
    Frame sample(Instant now);

    /// The process was stopped for `gap`: it could not get on.
    void forgive(Instant::duration gap) { changed_ += gap; }

  private:
    void sample_cpu(Instant now);

    const Progress& progress_;
    clockid_t cpu_clock_{};
    bool has_cpu_clock_ = false;
    std::uint64_t pulse_ = 0;
    Instant changed_;
    std::chrono::nanoseconds cpu_before_{0};
    Instant cpu_sampled_;
    std::uint32_t cpu_ms_ = 0;
};

}  // namespace railgauge::board
