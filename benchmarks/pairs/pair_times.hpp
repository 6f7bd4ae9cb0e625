// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "measure/sample.hpp"
#include "pairs/fleet.hpp"
#include "pairs/plan.hpp"

namespace railgauge {

/// What the pairs of one case did, for the table on stdout; readers of the run compute their own.
/// Values that cannot be had are NaN.
struct PairSummary {
    /// Payload rates of pairs in one direction, Gbit/s (1e9 bit/s): a pair's is its window over the
    /// median time to acknowledgement; the lanes of a rail together are one pair.
    double lowest_gbit_per_s;
    double median_gbit_per_s;
    double highest_gbit_per_s;
    /// Half of the round trip, or one read, over all samples of all pairs.
    double median_ns;
    double p99_ns;  ///< from 1000 samples on
    double max_ns;
    /// "n0 rail 2 -> n3": the pair of least rate, or of longest median trip.
    std::string slowest;
};

/// Collects acknowledgement times on rank 0 as they are gathered.
class PairTimes {
  public:
    /// Forgets the case before.
    void begin(int case_id);
    int case_id() const { return case_id_; }

    void add(int rank, std::span<const Cell> acknowledged_ns);

    PairSummary summarise(const PairCall& call, std::uint64_t ops_per_sample,
                          const Matching& matching, const Fleet& fleet) const;

  private:
    void add_latency(double trips, Verb verb, const Matching& matching, const Fleet& fleet,
                     PairSummary& summary) const;
    void add_bandwidth(double bits, Verb verb, const Matching& matching, const Fleet& fleet,
                       PairSummary& summary) const;

    int case_id_ = -1;
    std::map<int, std::vector<std::int64_t>> of_rank_;
};

}  // namespace railgauge
