// SPDX-License-Identifier: Apache-2.0
#include "pairs/served_pattern.hpp"

#include "transport/control_address.hpp"

namespace railgauge {
namespace {

Matching with_ranks(const std::vector<int>& ranks, const std::vector<int>& rails,
                    const std::string& server, const Fleet& fleet) {
    Matching matching = empty_matching(fleet, straight(rails));
    matching.served = server;
    for (const int rank : ranks)
        matching.peers.at(static_cast<std::size_t>(rank)) = rank;
    return matching;
}

}  // namespace

std::vector<Matching> served(const PairsOptions& options, const Fleet& fleet) {
    const std::string server = parse_control_address(options.served.server, "--served").text();
    std::vector<int> linked;
    for (int rank = 0; rank < fleet.ranks(); ++rank)
        if (!fleet.is_dead(rank)) linked.push_back(rank);
    std::vector<Matching> matchings;
    for (std::size_t i = 0; options.rails != "at-once" && i < linked.size(); ++i) {
        matchings.push_back(with_ranks({linked[i]}, {fleet.rail_of(linked[i])}, server, fleet));
        matchings.back().round = static_cast<int>(i);
    }
    // One rank alone is all at once.
    if (options.rails == "one-by-one" || matchings.size() == 1) return matchings;
    matchings.push_back(with_ranks(linked, fleet.rails(), server, fleet));
    matchings.back().round = static_cast<int>(matchings.size()) - 1;
    return matchings;
}

}  // namespace railgauge
