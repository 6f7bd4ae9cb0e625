// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "measure/sample.hpp"
#include "program/program.hpp"

namespace railgauge {

/// Collects the elapsed times of a case as they are gathered on rank 0.
class TimeCollector {
  public:
    void reset();
    void add(std::span<const Cell> elapsed_ns);

    /// Times of one operation: each sample divided by `ops_per_sample`.
    TimeSummary summarise(std::uint64_t ops_per_sample);

  private:
    /// 128 MiB; beyond it quantiles are left to the readers of the run.
    static constexpr std::size_t most_kept = std::size_t{16} << 20;

    std::vector<Cell> kept_;
    std::uint64_t samples_ = 0;
    double sum_ns_ = 0;
    Cell max_ns_ = 0;
};

}  // namespace railgauge
