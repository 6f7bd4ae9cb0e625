// SPDX-License-Identifier: Apache-2.0
#include "pairs/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace railgauge {
namespace {

NodePair ordered(int a, int b) {
    return {std::min(a, b), std::max(a, b)};
}

}  // namespace

std::vector<NodeRound> all_pairs_rounds(int nodes) {
    // One place stays, the others turn around it by one in each round. With an odd number of nodes
    // the place that stays is empty, so that its partner has the bye.
    const int turning = nodes % 2 == 0 ? nodes - 1 : nodes;
    std::vector<NodeRound> rounds;
    for (int turn = 0; nodes > 1 && turn < turning; ++turn) {
        NodeRound round;
        if (nodes % 2 == 0) round.push_back(ordered(turn, nodes - 1));
        for (int step = 1; step <= (turning - 1) / 2; ++step)
            round.push_back(ordered((turn + step) % turning, (turn - step + turning) % turning));
        rounds.push_back(std::move(round));
    }
    return rounds;
}

std::vector<int> node_order(int nodes, std::uint64_t seed, int repeat) {
    std::vector<int> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    if (repeat == 0) return order;
    // Not std::shuffle, whose result is left to the library; the engine's numbers are not.
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(repeat));
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[random() % left]);
    return order;
}

std::vector<NodeRound> relabelled(const std::vector<NodeRound>& rounds,
                                  const std::vector<int>& order) {
    std::vector<NodeRound> result = rounds;
    for (NodeRound& round : result)
        for (NodePair& pair : round)
            pair = ordered(order[static_cast<std::size_t>(pair.first)],
                           order[static_cast<std::size_t>(pair.second)]);
    return result;
}

NodeRound bisection_round(const std::vector<int>& leaves, const std::vector<int>& order) {
    const auto leaf = [&](int node) { return leaves[static_cast<std::size_t>(node)]; };
    std::vector<int> sorted = order;
    std::erase_if(sorted, [&](int node) { return leaf(node) < 0; });
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return leaf(a) < leaf(b); });
    // Leaves are stretches of `sorted`: half a job apart, rounded up, two nodes share one only if
    // it is longer than that.
    const std::size_t half = (sorted.size() + 1) / 2;
    NodeRound round;
    for (std::size_t i = 0; i + half < sorted.size(); ++i)
        if (leaf(sorted[i]) != leaf(sorted[i + half]))
            round.push_back(ordered(sorted[i], sorted[i + half]));
    return round;
}

}  // namespace railgauge
