// SPDX-License-Identifier: Apache-2.0
#include "pairs/rounds.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Nodes of a round; fails where one is twice or a pair is out of order.
std::set<int> nodes_of(const NodeRound& round) {
    std::set<int> nodes;
    for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(nodes.insert(a).second);
        EXPECT_TRUE(nodes.insert(b).second);
    }
    return nodes;
}

class AllPairsRoundsTest : public testing::TestWithParam<int> {};

TEST_P(AllPairsRoundsTest, every_pair_meets_once_in_as_few_rounds_as_there_can_be) {
    const int n = GetParam();
    const auto rounds = all_pairs_rounds(n);
    EXPECT_EQ(rounds.size(), static_cast<std::size_t>(n % 2 == 0 ? n - 1 : n));
    std::set<NodePair> pairs;
    for (const NodeRound& round : rounds) {
        EXPECT_EQ(round.size(), static_cast<std::size_t>(n / 2));
        nodes_of(round);
        for (const NodePair& pair : round)
            EXPECT_TRUE(pairs.insert(pair).second);
    }
    EXPECT_EQ(pairs.size(), static_cast<std::size_t>(n * (n - 1) / 2));
}

INSTANTIATE_TEST_SUITE_P(NodeCounts, AllPairsRoundsTest,
                         testing::Values(2, 3, 4, 5, 8, 11, 12, 13, 24, 97, 128));

TEST(AllPairsRoundsTest, with_an_odd_number_every_node_is_left_out_once) {
    for (const int n : {3, 5, 11, 97}) {
        std::multiset<int> idle;
        for (const NodeRound& round : all_pairs_rounds(n)) {
            const std::set<int> busy = nodes_of(round);
            for (int node = 0; node < n; ++node)
                if (!busy.contains(node)) idle.insert(node);
        }
        EXPECT_EQ(idle.size(), static_cast<std::size_t>(n));
        EXPECT_EQ(std::set<int>(idle.begin(), idle.end()).size(), idle.size());
    }
}

TEST(AllPairsRoundsTest, one_node_or_none_has_no_pair) {
    EXPECT_THAT(all_pairs_rounds(0), IsEmpty());
    EXPECT_THAT(all_pairs_rounds(1), IsEmpty());
}

TEST(NodeOrderTest, repeat_0_is_the_given_order_and_others_are_permutations) {
    EXPECT_THAT(node_order(4, 1, 0), ElementsAre(0, 1, 2, 3));
    for (int repeat = 1; repeat < 5; ++repeat) {
        const auto order = node_order(12, 1, repeat);
        EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 12u);
    }
    EXPECT_NE(node_order(12, 1, 1), node_order(12, 1, 2));
    EXPECT_NE(node_order(12, 1, 1), node_order(12, 7, 1));
}

TEST(NodeOrderTest, is_the_same_wherever_it_is_computed) {
    // Ranks of different machines have to agree on it without a word.
    EXPECT_THAT(node_order(6, 1, 1), ElementsAre(3, 4, 2, 1, 5, 0));
}

TEST(RelabelledTest, keeps_rounds_disjoint) {
    for (const NodeRound& round : relabelled(all_pairs_rounds(9), node_order(9, 3, 2)))
        EXPECT_EQ(nodes_of(round).size(), 8u);
}

TEST(BisectionRoundTest, every_node_has_a_partner_on_another_leaf) {
    const std::vector<int> leaves{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    for (int repeat = 0; repeat < 4; ++repeat) {
        const NodeRound round = bisection_round(leaves, node_order(12, 1, repeat));
        EXPECT_EQ(nodes_of(round).size(), 12u);
        for (const auto& [a, b] : round)
            EXPECT_NE(leaves[static_cast<std::size_t>(a)], leaves[static_cast<std::size_t>(b)]);
    }
}

/// Every way to hang `nodes` nodes on up to `leaves` leaves.
std::vector<std::vector<int>> all_leaf_vectors(int nodes, int leaves) {
    std::vector<std::vector<int>> vectors{{}};
    for (int node = 0; node < nodes; ++node) {
        std::vector<std::vector<int>> longer;
        for (const std::vector<int>& vector : vectors) {
            for (int leaf = 0; leaf < leaves; ++leaf) {
                longer.push_back(vector);
                longer.back().push_back(leaf);
            }
        }
        vectors = std::move(longer);
    }
    return vectors;
}

/// Half of the nodes, or what is not on the largest leaf.
int most_pairs(const std::vector<int>& leaves) {
    const auto nodes = static_cast<int>(leaves.size());
    std::map<int, int> on_leaf;
    int largest = 0;
    for (const int leaf : leaves)
        largest = std::max(largest, ++on_leaf[leaf]);
    return std::min(nodes / 2, nodes - largest);
}

TEST(BisectionRoundTest, has_as_many_pairs_across_leaves_as_there_can_be) {
    for (int nodes = 1; nodes <= 7; ++nodes) {
        for (const std::vector<int>& leaves : all_leaf_vectors(nodes, 4)) {
            const NodeRound round = bisection_round(leaves, node_order(nodes, 1, 0));
            ASSERT_EQ(static_cast<int>(round.size()), most_pairs(leaves))
                << testing::PrintToString(leaves);
            ASSERT_EQ(nodes_of(round).size(), 2 * round.size());
            for (const auto& [a, b] : round)
                ASSERT_NE(leaves[static_cast<std::size_t>(a)], leaves[static_cast<std::size_t>(b)]);
        }
    }
}

TEST(BisectionRoundTest, a_leaf_with_more_than_half_leaves_its_surplus_idle) {
    const NodeRound round = bisection_round({0, 0, 0, 0, 0, 1}, node_order(6, 1, 0));
    EXPECT_EQ(round.size(), 1u);
    EXPECT_EQ(round.at(0).second, 5);
}

TEST(BisectionRoundTest, one_leaf_or_unknown_leaves_give_no_pair) {
    EXPECT_THAT(bisection_round({3, 3, 3, 3}, node_order(4, 1, 0)), IsEmpty());
    EXPECT_THAT(bisection_round({-1, -1, -1, 0}, node_order(4, 1, 0)), IsEmpty());
}

}  // namespace
}  // namespace railgauge
