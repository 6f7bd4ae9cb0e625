// SPDX-License-Identifier: Apache-2.0
#include "pairs/node_patterns.hpp"

#include <algorithm>

namespace railgauge {
namespace {

/// The ranks of each node, in their order. Pairs within a node use no rail, so that dead ones
/// count.
std::vector<std::vector<int>> ranks_by_node(const Fleet& fleet) {
    std::vector<std::vector<int>> nodes(static_cast<std::size_t>(fleet.nodes()));
    for (int rank = 0; rank < fleet.ranks(); ++rank)
        nodes[static_cast<std::size_t>(fleet.node_of(rank))].push_back(rank);
    return nodes;
}

/// The places of a round, in every node that has both of a pair.
Matching within_nodes(const Fleet& fleet, const NodeRound& places, int round) {
    Matching matching = empty_matching(fleet, {});
    matching.rails = "none";
    matching.round = round;
    for (const std::vector<int>& ranks : ranks_by_node(fleet)) {
        for (const NodePair& pair : places) {
            if (static_cast<std::size_t>(pair.second) >= ranks.size()) continue;
            const int first = ranks[static_cast<std::size_t>(pair.first)];
            const int second = ranks[static_cast<std::size_t>(pair.second)];
            matching.peers[static_cast<std::size_t>(first)] = second;
            matching.peers[static_cast<std::size_t>(second)] = first;
        }
    }
    return matching;
}

int most_ranks_of_a_node(const Fleet& fleet) {
    std::size_t most = 0;
    for (const std::vector<int>& ranks : ranks_by_node(fleet))
        most = std::max(most, ranks.size());
    return static_cast<int>(most);
}

}  // namespace

std::vector<Matching> node_pairs(const Fleet& fleet) {
    std::vector<Matching> matchings;
    for (const NodeRound& places : all_pairs_rounds(most_ranks_of_a_node(fleet)))
        matchings.push_back(within_nodes(fleet, places, static_cast<int>(matchings.size())));
    return matchings;
}

std::vector<Matching> node_first(const Fleet& fleet) {
    std::vector<Matching> matchings;
    for (int place = 1; place < most_ranks_of_a_node(fleet); ++place)
        matchings.push_back(within_nodes(fleet, {{0, place}}, place - 1));
    return matchings;
}

}  // namespace railgauge
