// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "pairs/fleet.hpp"
#include "pairs/matching.hpp"
#include "site/site.hpp"

namespace railgauge {

/// Every node of one group with every node of another: as many rounds as the larger group has
/// nodes, in each of which every node of the smaller one has a partner. Rails of equal plane are
/// linked; where one side has more of them, the others follow in rounds of their own. Rails are
/// named from the first group's side.
/// @param between "gpu:storage", two groups of the site file
/// @param order of the nodes; each group's take their turns in it
/// @throws Error(usage) when the text or the site does not name two groups that the job runs on
std::vector<Matching> bipartite(const std::string& between, const Fleet& fleet, const Site& site,
                                const std::vector<int>& order);

/// Rounds over the numbers 0 .. few - 1 and 0 .. many - 1: (place among few, place among many).
std::vector<NodeRound> bipartite_rounds(int few, int many);

}  // namespace railgauge
