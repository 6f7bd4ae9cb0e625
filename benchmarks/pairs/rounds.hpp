// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace railgauge {

/// Two nodes, the one of the lower number first.
using NodePair = std::pair<int, int>;

/// Pairs that share no node, so that they can be measured at the same time.
using NodeRound = std::vector<NodePair>;

/// Every pair of nodes once, by the circle method: n - 1 rounds of n / 2 pairs for an even n; n
/// rounds for an odd one, each of which leaves another node out.
std::vector<NodeRound> all_pairs_rounds(int nodes);

/// 0 .. nodes - 1 in another order for every repeat, as they are for repeat 0; the same on every
/// machine.
std::vector<int> node_order(int nodes, std::uint64_t seed, int repeat);

/// The rounds with every node replaced by the one that takes its place in `order`.
std::vector<NodeRound> relabelled(const std::vector<NodeRound>& rounds,
                                  const std::vector<int>& order);

/// All nodes at once, each with one of another leaf: half the nodes against the other half, or as
/// many pairs as there can be when more than half of them hang on one leaf. Nodes of a leaf take
/// their places in `order`.
/// @param leaves by node: equal for nodes of one leaf; -1 = not known, which leaves the node out
NodeRound bisection_round(const std::vector<int>& leaves, const std::vector<int>& order);

}  // namespace railgauge
