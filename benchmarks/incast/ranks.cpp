// SPDX-License-Identifier: Apache-2.0
#include "incast/ranks.hpp"

#include <algorithm>
#include <iterator>

namespace railgauge {

bool contains(const std::vector<int>& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<int> live_ranks(const Fleet& fleet) {
    const auto live = static_cast<std::size_t>(fleet.ranks()) - fleet.dead().size();
    const std::vector<int> rails = fleet.rails();
    std::vector<int> ranks;
    for (std::size_t lane = 0; ranks.size() < live; ++lane) {
        for (const int rail : rails) {
            for (int node = 0; node < fleet.nodes(); ++node) {
                const std::vector<int>& lanes = fleet.ranks_on(node, rail);
                if (lane < lanes.size()) ranks.push_back(lanes[lane]);
            }
        }
    }
    return ranks;
}

std::vector<int> filtered(const std::vector<int>& ranks, const RankFilter& filter) {
    std::vector<int> kept;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(kept), filter);
    return kept;
}

bool share_nic(int a, int b, const Fleet& fleet) {
    return fleet.node_of(a) == fleet.node_of(b) && fleet.rail_of(a) == fleet.rail_of(b);
}

}  // namespace railgauge
