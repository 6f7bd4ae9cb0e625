// SPDX-License-Identifier: Apache-2.0
#include "program/time_summary.hpp"

#include <algorithm>
#include <limits>

#include "measure/quantile.hpp"

namespace railgauge {

void TimeCollector::reset() {
    *this = {};
}

void TimeCollector::add(std::span<const Cell> elapsed_ns) {
    if (kept_.size() + elapsed_ns.size() <= most_kept) {
        kept_.insert(kept_.end(), elapsed_ns.begin(), elapsed_ns.end());
    }
    samples_ += elapsed_ns.size();
    for (const Cell ns : elapsed_ns) {
        sum_ns_ += static_cast<double>(ns);
        max_ns_ = std::max(max_ns_, ns);
    }
}

TimeSummary TimeCollector::summarise(std::uint64_t ops_per_sample) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (samples_ == 0) return {0, none, none, none, none};
    const auto ops = static_cast<double>(ops_per_sample);
    const bool complete = kept_.size() == samples_;
    const bool has_p99 = complete && samples_ >= least_for_p99;
    return {samples_, sum_ns_ / static_cast<double>(samples_) / ops,
            complete ? quantile(kept_, 0.5) / ops : none,
            has_p99 ? quantile(kept_, 0.99) / ops : none, static_cast<double>(max_ns_) / ops};
}

}  // namespace railgauge
