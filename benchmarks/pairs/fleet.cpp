// SPDX-License-Identifier: Apache-2.0
#include "pairs/fleet.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr const char* map_remedy = "correct the --rail-map of the launch";

std::string host_of(const Placement& placement, std::size_t rank) {
    return placement.nodes[static_cast<std::size_t>(placement.ranks[rank].node)].host;
}

/// The rail of one rank, as the site file or scripts/rank-env has it.
int rail_of(const Placement& placement, std::size_t rank, const Site* site) {
    const Placement::Rank& place = placement.ranks[rank];
    if (site == nullptr || place.nic.empty()) return place.rail;
    const std::string host = host_of(placement, rank);
    if (const auto rail = site->rail_of_device(host, place.nic)) return *rail;
    throw Error(ExitCode::usage,
                fmt::format("rank {} on {} uses the NIC {}", rank, host, place.nic),
                "the site file puts it on no rail", map_remedy);
}

void require_all_or_none(const Placement& placement, const std::vector<int>& rails) {
    const auto missing = std::find(rails.begin(), rails.end(), no_rail);
    const bool none = std::all_of(rails.begin(), rails.end(), [](int r) { return r == no_rail; });
    if (missing == rails.end() || none) return;
    const auto rank = static_cast<std::size_t>(missing - rails.begin());
    throw Error(ExitCode::usage,
                fmt::format("rank {} on {} has no rail", rank, host_of(placement, rank)),
                "other ranks have one, and pairs would mix rails", map_remedy);
}

/// Ranks of a node on each rail, in the order of the rails.
std::vector<std::size_t> counts_of(const Fleet& fleet, int node) {
    std::vector<std::size_t> counts;
    for (const int rail : fleet.rails())
        counts.push_back(fleet.ranks_on(node, rail).size());
    return counts;
}

/// "2 on rail 0, 1 on rail 1".
std::string text_of(const std::vector<std::size_t>& counts, const std::vector<int>& rails) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < rails.size(); ++i)
        parts.push_back(fmt::format("{} on rail {}", counts[i], rails[i]));
    return fmt::format("{}", fmt::join(parts, ", "));
}

void describe_dead(const Fleet& fleet, std::vector<std::string>& lines) {
    constexpr std::size_t most_named = 8;
    if (fleet.dead().empty()) return;
    std::set<std::string> places;
    for (const int rank : fleet.dead())
        places.insert(fleet.describe(fleet.node_of(rank), fleet.rail_of(rank)));
    const std::size_t named = std::min(places.size(), most_named);
    const auto end = std::next(places.begin(), static_cast<std::ptrdiff_t>(named));
    lines.push_back(fmt::format(
        "no link on {}{}: pairs there are not measured", fmt::join(places.begin(), end, ", "),
        named < places.size() ? fmt::format(" and {} more", places.size() - named) : ""));
}

void describe_nodes(const Fleet& fleet, std::vector<std::string>& lines) {
    const std::vector<int> rails = fleet.rails();
    const std::vector<std::size_t> first = counts_of(fleet, 0);
    for (int node = 1; node < fleet.nodes(); ++node) {
        const std::vector<std::size_t> counts = counts_of(fleet, node);
        if (counts == first) continue;
        lines.push_back(fmt::format(
            "ranks of {} ({}) do not match those of {} ({}): what has no partner stays idle",
            fleet.host(node), text_of(counts, rails), fleet.host(0), text_of(first, rails)));
        return;  // one line, however many nodes are alike in this
    }
    const bool even = std::all_of(first.begin(), first.end(),
                                  [&](std::size_t count) { return count == first.front(); });
    if (even) return;
    lines.push_back(fmt::format(
        "ranks do not divide evenly by rails ({} on every node): compare within a rail only, or "
        "start a multiple of {} ranks per node",
        text_of(first, rails), rails.size()));
}

}  // namespace

Fleet::Fleet(const Placement& placement, std::vector<int> rails) : rails_(std::move(rails)) {
    for (const Placement::Node& node : placement.nodes)
        hosts_.push_back(node.host);
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
        nodes_.push_back(placement.ranks[rank].node);
        std::vector<int>& place =
            placement.ranks[rank].rail_is_dead ? dead_ : lanes_[{nodes_[rank], rails_[rank]}];
        place.push_back(static_cast<int>(rank));
    }
}

std::vector<int> Fleet::rails() const {
    const std::set<int> distinct(rails_.begin(), rails_.end());
    return {distinct.begin(), distinct.end()};
}

const std::vector<int>& Fleet::ranks_on(int node, int rail) const {
    static const std::vector<int> none;
    const auto found = lanes_.find({node, rail});
    return found == lanes_.end() ? none : found->second;
}

bool Fleet::is_dead(int rank) const {
    return std::find(dead_.begin(), dead_.end(), rank) != dead_.end();
}

int Fleet::find_host(const std::string& name) const {
    const auto found = std::find(hosts_.begin(), hosts_.end(), name);
    if (found != hosts_.end()) return static_cast<int>(found - hosts_.begin());
    throw Error(ExitCode::usage, fmt::format("the job does not run on '{}'", name),
                fmt::format("its nodes are {}", fmt::join(hosts_, ", ")),
                "name two of them, or two ranks");
}

std::string Fleet::describe(int node, int rail) const {
    return rail == no_rail ? host(node) : fmt::format("{} rail {}", host(node), rail);
}

Fleet make_fleet(const Placement& placement, const Site* site) {
    std::vector<int> rails;
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
        rails.push_back(rail_of(placement, rank, site));
    require_all_or_none(placement, rails);
    return {placement, std::move(rails)};
}

std::vector<std::string> describe_unevenness(const Fleet& fleet, const Site* site) {
    std::vector<std::string> lines;
    const std::vector<int> rails = fleet.rails();
    if (rails.front() == no_rail) {
        lines.emplace_back(
            "ranks have no rails (no --rail-map at the launch): which NIC carries "
            "the bytes is not known");
        return lines;
    }
    describe_dead(fleet, lines);
    if (lines.empty()) describe_nodes(fleet, lines);  // dead ranks make nodes differ
    if (site == nullptr) return lines;
    for (const Rail& rail : site->rails) {
        if (std::find(rails.begin(), rails.end(), rail.index) != rails.end()) continue;
        lines.push_back(
            fmt::format("no rank is on rail {} of the site file: it is not measured", rail.index));
    }
    return lines;
}

}  // namespace railgauge
