// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pairs/fleet.hpp"
#include "pairs/matching.hpp"

namespace railgauge {

/// Every pair of ranks within each node, in rounds, all nodes at once. Pure.
std::vector<Matching> node_pairs(const Fleet& fleet);

/// The first rank of each node with every other of it, one after the other. Pure.
std::vector<Matching> node_first(const Fleet& fleet);

}  // namespace railgauge
