// SPDX-License-Identifier: Apache-2.0
#include "pairs/bipartite.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

/// One group's part in the job.
struct Side {
    std::string name;
    std::vector<int> nodes;
    std::vector<int> rails;
};

std::vector<int> rails_of(const std::vector<int>& nodes, const Fleet& fleet) {
    std::vector<int> rails;
    for (const int rail : fleet.rails()) {
        const bool is_there = std::ranges::any_of(
            nodes, [&](int node) { return !fleet.ranks_on(node, rail).empty(); });
        if (is_there) rails.push_back(rail);
    }
    return rails;
}

Side side_of(const std::string& name, const Fleet& fleet, const Site& site,
             const std::vector<int>& order) {
    Side side{name, {}, {}};
    for (const int node : order) {
        const NodeGroup* const group = site.group_of(fleet.host(node));
        if (group != nullptr && group->name == name) side.nodes.push_back(node);
    }
    side.rails = rails_of(side.nodes, fleet);
    if (!side.nodes.empty()) return side;
    throw Error(ExitCode::usage, fmt::format("--between names '{}', which has no node here", name),
                "the job runs on no host of such a group of the site file",
                "name two groups that the job runs on");
}

std::pair<std::string, std::string> parse_between(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
        text.substr(0, colon) != text.substr(colon + 1))
        return {text.substr(0, colon), text.substr(colon + 1)};
    throw Error(ExitCode::usage, fmt::format("--between '{}' does not name two groups", text),
                "pattern bipartite measures nodes of one against nodes of another",
                "give --between gpu:storage, as the site file names them");
}

std::vector<int> in_plane(const std::vector<int>& rails, const Plane* plane, const Site& site) {
    std::vector<int> chosen;
    std::ranges::copy_if(rails, std::back_inserter(chosen),
                         [&](int rail) { return site.plane_of(rail) == plane; });
    return chosen;
}

/// Links of one plane in turn `turn`: every rail of the side that has fewer, with one of the other.
void append_links(const std::vector<int>& first, const std::vector<int>& second, std::size_t turn,
                  RailSet& set) {
    const std::size_t links = std::min(first.size(), second.size());
    for (std::size_t i = 0; i < links; ++i) {
        const std::size_t shifted = turn * links + i;
        const bool first_is_few = first.size() <= second.size();
        const int a = first_is_few ? first[i] : first[shifted % first.size()];
        const int b = first_is_few ? second[shifted % second.size()] : second[i];
        set.links.push_back({a, b});
    }
}

std::size_t turns_of(std::size_t a, std::size_t b) {
    if (a == 0 || b == 0) return 0;
    return (std::max(a, b) + std::min(a, b) - 1) / std::min(a, b);
}

/// What is measured at once: all planes, each in its turn number so and so.
std::vector<RailSet> rail_sets(const Side& first, const Side& second, const Site& site) {
    std::vector<std::pair<std::vector<int>, std::vector<int>>> planes;
    std::size_t turns = 0;
    for (const Plane& plane : site.planes) {
        planes.emplace_back(in_plane(first.rails, &plane, site),
                            in_plane(second.rails, &plane, site));
        turns = std::max(turns, turns_of(planes.back().first.size(), planes.back().second.size()));
    }
    std::vector<RailSet> sets(turns);
    for (std::size_t turn = 0; turn < turns; ++turn)
        for (const auto& [here, there] : planes)
            append_links(here, there, turn, sets[turn]);
    return sets;
}

/// Ranks without rails, by place alone.
std::vector<RailSet> one_link() {
    return {straight({no_rail})};
}

}  // namespace

std::vector<NodeRound> bipartite_rounds(int few, int many) {
    std::vector<NodeRound> rounds;
    for (int round = 0; round < many; ++round) {
        rounds.emplace_back();
        for (int place = 0; place < few; ++place)
            rounds.back().push_back({place, (place + round) % many});
    }
    return rounds;
}

std::vector<Matching> bipartite(const std::string& between, const Fleet& fleet, const Site& site,
                                const std::vector<int>& order) {
    const auto [a, b] = parse_between(between);
    const Side first = side_of(a, fleet, site, order);
    const Side second = side_of(b, fleet, site, order);
    const bool has_rails = fleet.rails().front() != no_rail;
    const bool first_is_few = first.nodes.size() <= second.nodes.size();
    const auto few = static_cast<int>(std::min(first.nodes.size(), second.nodes.size()));
    const auto many = static_cast<int>(std::max(first.nodes.size(), second.nodes.size()));
    const auto place = [](const Side& side, int number) {
        return side.nodes[static_cast<std::size_t>(number)];
    };
    std::vector<Matching> matchings;
    for (const RailSet& set : has_rails ? rail_sets(first, second, site) : one_link()) {
        int number = 0;
        for (NodeRound round : bipartite_rounds(few, many)) {
            for (NodePair& pair : round)
                pair = first_is_few
                           ? NodePair{place(first, pair.first), place(second, pair.second)}
                           : NodePair{place(first, pair.second), place(second, pair.first)};
            matchings.push_back(match(fleet, round, set));
            matchings.back().round = number++;
        }
    }
    return matchings;
}

}  // namespace railgauge
