// SPDX-License-Identifier: Apache-2.0
#include "collective/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Ranks of each node, as a launcher numbers them by node; no rails.
Placement placement_of(const std::vector<int>& ranks_of_node) {
    std::vector<std::string> hosts;
    std::vector<std::string> boot_ids;
    for (std::size_t node = 0; node < ranks_of_node.size(); ++node) {
        for (int rank = 0; rank < ranks_of_node[node]; ++rank) {
            hosts.push_back("gpu0" + std::to_string(node));
            boot_ids.push_back(std::to_string(node));
        }
    }
    return make_placement(hosts, boot_ids);
}

/// On the rail of its local rank, each.
Placement on_rails(Placement placement) {
    for (Placement::Rank& rank : placement.ranks)
        rank.rail = rank.local_rank;
    return placement;
}

std::string refusal_of(std::string_view split, const Placement& placement) {
    try {
        make_groups(split, placement);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    ADD_FAILURE() << split << " was not refused";
    return {};
}

TEST(GroupsTest, without_a_split_all_ranks_are_one_group) {
    const Groups groups = make_groups("none", placement_of({2, 1}));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 0, 0));
    EXPECT_THAT(groups.numbers, ElementsAre(0));
    EXPECT_EQ(groups.ranks, 3);
}

TEST(GroupsTest, a_node_is_a_group) {
    const Groups groups = make_groups("node", placement_of({2, 2}));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(groups.numbers, ElementsAre(0, 1));
    EXPECT_EQ(groups.ranks, 2);
}

TEST(GroupsTest, nodes_are_told_apart_when_ranks_alternate_between_them) {
    const Placement placement = make_placement({"a", "b", "a", "b"}, {"1", "2", "1", "2"});
    EXPECT_THAT(make_groups("node", placement).of_rank, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(make_groups("local-index", placement).of_rank, ElementsAre(0, 0, 1, 1));
}

TEST(GroupsTest, a_rail_is_a_group_over_all_nodes) {
    const Groups groups = make_groups("rail", on_rails(placement_of({2, 2, 2})));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 1, 0, 1, 0, 1));
    EXPECT_THAT(groups.numbers, ElementsAre(0, 1));
    EXPECT_EQ(groups.ranks, 3);
}

TEST(GroupsTest, a_group_has_the_number_of_its_rail_when_rails_are_left_out) {
    Placement placement = on_rails(placement_of({2, 2}));
    for (Placement::Rank& rank : placement.ranks)
        rank.rail = rank.local_rank == 0 ? 7 : 3;
    const Groups groups = make_groups("rail", placement);
    EXPECT_THAT(groups.of_rank, ElementsAre(7, 3, 7, 3));
    EXPECT_THAT(groups.numbers, ElementsAre(3, 7));
}

TEST(GroupsTest, a_local_rank_is_a_group_over_all_nodes) {
    const Groups groups = make_groups("local-index", placement_of({3, 3}));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 1, 2, 0, 1, 2));
    EXPECT_EQ(groups.ranks, 2);
}

TEST(GroupsTest, neighbours_are_a_pair) {
    const Groups groups = make_groups("pair", placement_of({4, 2}));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 0, 1, 1, 2, 2));
    EXPECT_EQ(groups.ranks, 2);
}

TEST(GroupsTest, the_last_of_an_odd_number_of_ranks_is_in_no_pair) {
    const Groups groups = make_groups("pair", placement_of({5}));
    EXPECT_THAT(groups.of_rank, ElementsAre(0, 0, 1, 1, -1));
    EXPECT_THAT(groups.numbers, ElementsAre(0, 1));
}

TEST(GroupsTest, a_lone_rank_makes_no_pair) {
    EXPECT_THAT(refusal_of("pair", placement_of({1})), HasSubstr("--split pair makes no group"));
}

TEST(GroupsTest, groups_of_unequal_size_are_refused) {
    const Placement uneven = placement_of({2, 3});
    EXPECT_THAT(refusal_of("node", uneven), HasSubstr("groups of 2 to 3 ranks"));
    EXPECT_THAT(refusal_of("node", uneven), HasSubstr("node 0 is smaller"));
    EXPECT_THAT(refusal_of("local-index", uneven), HasSubstr("local-index 2 is smaller"));
    EXPECT_THAT(refusal_of("rail", on_rails(uneven)), HasSubstr("rail 2 is smaller"));
}

TEST(GroupsTest, a_rank_without_a_rail_is_named) {
    Placement placement = on_rails(placement_of({2, 2}));
    placement.ranks[3].rail = -1;
    EXPECT_THAT(refusal_of("rail", placement), HasSubstr("rank 3 has no rail"));
}

TEST(GroupsTest, an_unknown_split_is_refused) {
    EXPECT_THAT(refusal_of("rack", placement_of({2})), HasSubstr("rack"));
}

TEST(GroupsTest, every_split_has_a_name) {
    EXPECT_THAT(split_names(), ElementsAre("none", "node", "rail", "local-index", "pair"));
}

TEST(GroupNameTest, names_a_group_in_one_word) {
    const Placement placement = placement_of({2, 2});
    EXPECT_EQ(group_name("none", 0, placement), "all");
    EXPECT_EQ(group_name("node", 1, placement), "gpu01");
    EXPECT_EQ(group_name("rail", 2, placement), "rail2");
    EXPECT_EQ(group_name("local-index", 0, placement), "local0");
    EXPECT_EQ(group_name("pair", 5, placement), "pair5");
}

TEST(GroupNameTest, machines_that_share_a_name_are_groups_of_two_names) {
    const Placement placement = make_placement({"gpu", "gpu"}, {"1", "2"});
    EXPECT_NE(group_name("node", 0, placement), group_name("node", 1, placement));
}

}  // namespace
}  // namespace railgauge
