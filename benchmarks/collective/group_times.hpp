// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>

#include "collective/groups.hpp"
#include "measure/sample.hpp"
#include "program/time_summary.hpp"

namespace railgauge {

/// The times of a case, group by group, as they are gathered on rank 0.
class GroupTimes {
  public:
    /// @param groups outlives this
    explicit GroupTimes(const Groups& groups) : groups_(groups) {}

    void add(int rank, std::span<const Cell> elapsed_ns) {
        collectors_[groups_.of_rank[static_cast<std::size_t>(rank)]].add(elapsed_ns);
    }

    /// Of the groups that worked, by number; forgets them.
    std::map<int, TimeSummary> take(std::uint64_t ops_per_sample) {
        std::map<int, TimeSummary> summaries;
        for (auto& [group, collector] : collectors_)
            summaries[group] = collector.summarise(ops_per_sample);
        collectors_.clear();
        return summaries;
    }

  private:
    const Groups& groups_;
    std::map<int, TimeCollector> collectors_;
};

}  // namespace railgauge
