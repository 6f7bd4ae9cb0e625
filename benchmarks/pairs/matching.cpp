// SPDX-License-Identifier: Apache-2.0
#include "pairs/matching.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fnv1a.hpp"

namespace railgauge {
namespace {

std::string text_of(const std::vector<RailLink>& links) {
    std::vector<std::string> parts;
    for (const RailLink& link : links) {
        if (link.first == no_rail) return "none";
        parts.push_back(link.first == link.second ? fmt::format("{}", link.first)
                                                  : fmt::format("{}>{}", link.first, link.second));
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

int Matching::pairs() const {
    int inside = 0;
    int outside = 0;
    for (std::size_t rank = 0; rank < peers.size(); ++rank) {
        const bool is_itself = peers[rank] == static_cast<int>(rank);
        outside += is_itself ? 1 : 0;
        inside += peers[rank] >= 0 && !is_itself ? 1 : 0;
    }
    return inside / 2 + outside;
}

std::string Matching::digest(const Fleet& fleet) const {
    Fnv1a hash;
    for (int rank = 0; rank < fleet.ranks(); ++rank)
        hash.add(fmt::format("{} {}", peers[static_cast<std::size_t>(rank)], fleet.rail_of(rank)));
    return fmt::format("{:08x}", static_cast<std::uint32_t>(hash.value() ^ (hash.value() >> 32)));
}

RailSet straight(const std::vector<int>& rails, std::string plane) {
    RailSet set;
    for (const int rail : rails)
        set.links.push_back({rail, rail});
    set.plane = std::move(plane);
    return set;
}

std::vector<RailSet> chosen_rail_sets(const std::string& choice, const Fleet& fleet) {
    const std::vector<int> rails = fleet.rails();
    std::vector<RailSet> sets;
    if (choice != "at-once") {
        for (const int rail : rails)
            sets.push_back(straight({rail}));
    }
    if (choice != "one-by-one" && (sets.empty() || rails.size() > 1))
        sets.push_back(straight(rails));
    return sets;
}

Matching empty_matching(const Fleet& fleet, const RailSet& rails) {
    Matching matching;
    matching.rails = text_of(rails.links);
    matching.plane = rails.plane;
    matching.peers.assign(static_cast<std::size_t>(fleet.ranks()), -1);
    return matching;
}

void join(const Fleet& fleet, NodePair nodes, RailLink link, Matching& matching) {
    const auto& first = fleet.ranks_on(nodes.first, link.first);
    const auto& second = fleet.ranks_on(nodes.second, link.second);
    for (std::size_t lane = 0; lane < std::min(first.size(), second.size()); ++lane) {
        matching.peers[static_cast<std::size_t>(first[lane])] = second[lane];
        matching.peers[static_cast<std::size_t>(second[lane])] = first[lane];
    }
}

Matching match(const Fleet& fleet, const NodeRound& round, const RailSet& rails) {
    Matching matching = empty_matching(fleet, rails);
    for (const NodePair& nodes : round)
        for (const RailLink& link : rails.links)
            join(fleet, nodes, link, matching);
    return matching;
}

}  // namespace railgauge
