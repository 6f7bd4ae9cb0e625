// SPDX-License-Identifier: Apache-2.0
#include "pairs/pair_times.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "measure/quantile.hpp"

namespace railgauge {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double bits_per_byte = 8;

double median_of(std::vector<std::int64_t> times_ns) {
    return quantile(times_ns, 0.5);
}

/// From a node's rail to another node's, all lanes between them; within a node from rank to rank.
struct Path {
    int node, rail, peer_node, peer_rail;
    int rank, peer;  ///< -1 between nodes

    auto key() const { return std::tuple(node, rail, peer_node, peer_rail, rank, peer); }
    bool operator<(const Path& other) const { return key() < other.key(); }
};

/// "rank 3 (n1 rail 2) -> storage1:7471", or the other way.
std::string describe_outside(const Path& path, const Fleet& fleet, const std::string& served,
                             bool is_read) {
    const std::string rank =
        fmt::format("rank {} ({})", path.rank, fleet.describe(path.node, path.rail));
    return is_read ? fmt::format("{} -> {}", served, rank) : fmt::format("{} -> {}", rank, served);
}

std::string describe(const Path& path, const Fleet& fleet, const Matching& matching, Verb verb) {
    if (path.rank >= 0 && path.rank == path.peer)
        return describe_outside(path, fleet, matching.served, verb == Verb::read);
    if (path.node == path.peer_node) return fmt::format("rank {} -> rank {}", path.rank, path.peer);
    const bool same_rail = path.rail == path.peer_rail;
    return fmt::format(
        "{} -> {}", fleet.describe(path.node, path.rail),
        same_rail ? fleet.host(path.peer_node) : fleet.describe(path.peer_node, path.peer_rail));
}

/// The way of the payload that a rank timed: it sent it, or read it.
Path path_of(int timing_rank, Verb verb, const Matching& matching, const Fleet& fleet) {
    const int other = matching.peers[static_cast<std::size_t>(timing_rank)];
    const auto [rank, peer] =
        verb == Verb::read ? std::pair(other, timing_rank) : std::pair(timing_rank, other);
    Path path{
        fleet.node_of(rank), fleet.rail_of(rank), fleet.node_of(peer), fleet.rail_of(peer), -1, -1};
    if (path.node == path.peer_node) std::tie(path.rank, path.peer) = std::pair(rank, peer);
    return path;
}

}  // namespace

void PairTimes::begin(int case_id) {
    case_id_ = case_id;
    of_rank_.clear();
}

void PairTimes::add(int rank, std::span<const Cell> acknowledged_ns) {
    for (const Cell cell : acknowledged_ns) {
        const auto ns = static_cast<std::int64_t>(cell);
        if (ns >= 0) of_rank_[rank].push_back(ns);
    }
}

void PairTimes::add_latency(double trips, Verb verb, const Matching& matching, const Fleet& fleet,
                            PairSummary& summary) const {
    std::vector<std::int64_t> all_ns;
    double longest_ns = 0;
    for (const auto& [rank, times_ns] : of_rank_) {
        all_ns.insert(all_ns.end(), times_ns.begin(), times_ns.end());
        const double median_ns = median_of(times_ns);
        if (median_ns <= longest_ns) continue;
        longest_ns = median_ns;
        summary.slowest = describe(path_of(rank, verb, matching, fleet), fleet, matching, verb);
    }
    summary.median_ns = quantile(all_ns, 0.5) / trips;
    if (all_ns.size() >= least_for_p99) summary.p99_ns = quantile(all_ns, 0.99) / trips;
    summary.max_ns = quantile(all_ns, 1.0) / trips;
}

void PairTimes::add_bandwidth(double bits, Verb verb, const Matching& matching, const Fleet& fleet,
                              PairSummary& summary) const {
    std::map<Path, double> rates;
    for (const auto& [rank, times_ns] : of_rank_)
        rates[path_of(rank, verb, matching, fleet)] += bits / median_of(times_ns);
    std::vector<double> values;
    values.reserve(rates.size());
    for (const auto& [path, rate] : rates)
        values.push_back(rate);
    const auto slowest =
        std::min_element(rates.begin(), rates.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    summary.slowest = describe(slowest->first, fleet, matching, verb);
    summary.lowest_gbit_per_s = slowest->second;
    summary.median_gbit_per_s = quantile(values, 0.5);
    summary.highest_gbit_per_s = quantile(values, 1.0);
}

PairSummary PairTimes::summarise(const PairCall& call, std::uint64_t ops_per_sample,
                                 const Matching& matching, const Fleet& fleet) const {
    PairSummary summary{unknown, unknown, unknown, unknown, unknown, unknown, "-"};
    if (of_rank_.empty()) return summary;
    const auto ops = static_cast<double>(ops_per_sample);
    if (call.operation == PairOperation::latency) {
        // A read is there and back by itself, and is not halved: perftest does not either.
        const double ways = call.verb == Verb::read ? 1 : 2;
        add_latency(ways * ops, call.verb, matching, fleet, summary);
    } else {
        // Bits per nanosecond are Gbit per second.
        const double bits = static_cast<double>(call.window_bytes()) * ops * bits_per_byte;
        add_bandwidth(bits, call.verb, matching, fleet, summary);
    }
    return summary;
}

}  // namespace railgauge
