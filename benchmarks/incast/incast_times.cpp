// SPDX-License-Identifier: Apache-2.0
#include "incast/incast_times.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "incast/fairness.hpp"
#include "measure/quantile.hpp"

namespace railgauge {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double bits_per_byte = 8;

// In the order of Pending.
constexpr std::array<std::string_view, 4> names{"elapsed_ns", "bytes", "longest_ns",
                                                "completed_ns"};

}  // namespace

std::vector<std::string> IncastTimes::columns() {
    return {names.begin(), names.end()};
}

void IncastTimes::begin(int case_id, const Cast& cast, std::int64_t duration_ns) {
    *this = {};
    case_id_ = case_id;
    cast_ = cast;
    duration_ns_ = duration_ns;
}

void IncastTimes::add(int rank, std::string_view column, std::span<const Cell> cells) {
    const auto name = std::find(names.begin(), names.end(), column);
    if (name == names.end()) return;
    std::vector<Cell>& own = pending_[rank][static_cast<std::size_t>(name - names.begin())];
    own.insert(own.end(), cells.begin(), cells.end());
    take_rows(rank);
}

/// Those of which all cells are here.
void IncastTimes::take_rows(int rank) {
    Pending& pending = pending_[rank];
    std::size_t rows = pending.front().size();
    for (const std::vector<Cell>& column : pending)
        rows = std::min(rows, column.size());
    if (rows == 0) return;
    const bool is_victim = cast_.victim && cast_.victim->asker == rank;
    Times& times = is_victim ? victim_ : senders_;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto cell = [&](std::size_t column) {
            return static_cast<std::int64_t>(pending[column][i]);
        };
        times.add(cell(0), cell(2));
        if (cell(3) < duration_ns_) bytes_[rank] += static_cast<double>(cell(1));
    }
    for (std::vector<Cell>& column : pending)
        column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(rows));
}

void IncastTimes::Times::add(std::int64_t elapsed_ns, std::int64_t row_longest_ns) {
    if (kept_ns.size() < most_kept) kept_ns.push_back(elapsed_ns);
    longest_ns = std::max(longest_ns, row_longest_ns);
    ++rows;
}

double IncastTimes::Times::quantile_ns(double fraction, std::size_t least_rows) const {
    if (rows < least_rows || rows > kept_ns.size()) return unknown;
    std::vector<std::int64_t> times = kept_ns;
    return quantile(times, fraction);
}

IncastSummary IncastTimes::summarise() const {
    IncastSummary summary{unknown, unknown, unknown, unknown, unknown,
                          unknown, unknown, unknown, unknown};
    for (const Crew& crew : cast_.crews)
        if (senders_.rows > 0) summarise(crew, summary);
    if (senders_.rows > 0) {
        summary.median_ns = senders_.quantile_ns(0.5, 1);
        summary.p99_ns = senders_.quantile_ns(0.99, least_for_p99);
        summary.max_ns = static_cast<double>(senders_.longest_ns);
    }
    summary.victim_p99_ns = victim_.quantile_ns(0.99, least_for_p99);
    return summary;
}

void IncastTimes::summarise(const Crew& crew, IncastSummary& summary) const {
    std::vector<double> bytes;
    for (const int sender : crew.senders) {
        const auto found = bytes_.find(sender);
        bytes.push_back(found == bytes_.end() ? 0 : found->second);
    }
    const double total = std::accumulate(bytes.begin(), bytes.end(), 0.0);
    // Bits per nanosecond are Gbit per second.
    const double rate = total * bits_per_byte / static_cast<double>(duration_ns_);
    if (summary.aggregate_gbit_per_s <= rate) return;
    std::vector<double> shares = fair_shares(bytes);
    summary.aggregate_gbit_per_s = rate;
    summary.lowest_share = quantile(shares, 0.0);
    summary.median_share = quantile(shares, 0.5);
    summary.highest_share = quantile(shares, 1.0);
    summary.jain = jain_index(bytes);
}

}  // namespace railgauge
