// SPDX-License-Identifier: Apache-2.0
#include "pairs/patterns.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>

#include "support.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::even_fleet;
using ::testing::HasSubstr;
using testing::make_rail_placement;
using testing::refusal;
using testing::two_planes_two_leaves;

std::vector<std::string> rails_of(const std::vector<Matching>& matchings) {
    std::vector<std::string> rails;
    for (const Matching& matching : matchings)
        if (rails.empty() || rails.back() != matching.rails) rails.push_back(matching.rails);
    return rails;
}

/// Fails unless peers are mutual and of different nodes.
void expect_disjoint_pairs(const Fleet& fleet, const Matching& matching) {
    for (int rank = 0; rank < fleet.ranks(); ++rank) {
        const int peer = matching.peers[static_cast<std::size_t>(rank)];
        if (peer < 0) continue;
        EXPECT_EQ(matching.peers[static_cast<std::size_t>(peer)], rank);
        EXPECT_NE(fleet.node_of(peer), fleet.node_of(rank));
    }
}

TEST(PatternsTest, all_pairs_measures_every_pair_of_nodes_once_on_every_rail) {
    const Fleet fleet = even_fleet(6, 4);
    const auto matchings = match_ranks("all-pairs", {}, fleet, nullptr);
    EXPECT_EQ(matchings.size(), 5u);
    std::map<std::pair<int, int>, int> meetings;
    for (const Matching& matching : matchings) {
        expect_disjoint_pairs(fleet, matching);
        EXPECT_EQ(matching.pairs(), 12);
        EXPECT_EQ(matching.rails, "0,1,2,3");
        for (int rank = 0; rank < fleet.ranks(); ++rank) {
            const int peer = matching.peers[static_cast<std::size_t>(rank)];
            EXPECT_EQ(fleet.rail_of(peer), fleet.rail_of(rank));
            ++meetings[{rank, peer}];
        }
    }
    EXPECT_EQ(meetings.size(), 6u * 5u * 4u);
    for (const auto& [pair, times] : meetings)
        EXPECT_EQ(times, 1);
}

TEST(PatternsTest, rails_are_measured_at_once_or_one_by_one) {
    const Fleet fleet = even_fleet(4, 3);
    PairsOptions options;
    options.rails = "one-by-one";
    EXPECT_THAT(rails_of(match_ranks("all-pairs", options, fleet, nullptr)),
                ElementsAre("0", "1", "2"));
    options.rails = "both";
    EXPECT_THAT(rails_of(match_ranks("all-pairs", options, fleet, nullptr)),
                ElementsAre("0", "1", "2", "0,1,2"));
    EXPECT_THAT(rails_of(match_ranks("all-pairs", options, even_fleet(4, 1), nullptr)),
                ElementsAre("0"));
}

TEST(PatternsTest, a_rail_sweep_has_each_rail_alone_then_all) {
    const auto matchings = match_ranks("rail-sweep", {}, even_fleet(5, 3), nullptr);
    EXPECT_THAT(rails_of(matchings), ElementsAre("0", "1", "2", "0,1,2"));
    EXPECT_EQ(matchings.size(), 4u);
    EXPECT_EQ(matchings.front().pairs(), 2);
    EXPECT_EQ(matchings.back().pairs(), 6);
}

TEST(PatternsTest, all_lanes_of_a_rail_are_paired) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1, 0, 1}, {0, 1, 0, 1}}), nullptr);
    const auto matchings = match_ranks("all-pairs", {}, fleet, nullptr);
    ASSERT_EQ(matchings.size(), 1u);
    EXPECT_THAT(matchings[0].peers, ElementsAre(4, 5, 6, 7, 0, 1, 2, 3));
}

TEST(PatternsTest, what_has_no_partner_is_idle_and_the_rest_is_measured) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1, 0}, {0, 1}}), nullptr);
    const auto matchings = match_ranks("all-pairs", {}, fleet, nullptr);
    ASSERT_EQ(matchings.size(), 1u);
    EXPECT_THAT(matchings[0].peers, ElementsAre(3, 4, -1, 0, 1));
}

TEST(PatternsTest, a_rail_without_links_stays_in_the_plan_to_be_marked) {
    Placement placement = make_rail_placement({{0, 1}, {0, 1}});
    placement.ranks[1].rail_is_dead = placement.ranks[3].rail_is_dead = true;
    const Fleet fleet = make_fleet(placement, nullptr);
    const auto matchings = match_ranks("rail-sweep", {}, fleet, nullptr);
    ASSERT_THAT(rails_of(matchings), ElementsAre("0", "1", "0,1"));
    EXPECT_EQ(matchings[0].pairs(), 1);
    EXPECT_EQ(matchings[1].pairs(), 0);
    EXPECT_EQ(matchings[2].pairs(), 1);
}

TEST(PatternsTest, an_odd_number_of_nodes_leaves_one_idle_in_each_round) {
    const auto matchings = match_ranks("all-pairs", {}, even_fleet(5, 2), nullptr);
    EXPECT_EQ(matchings.size(), 5u);
    for (const Matching& matching : matchings)
        EXPECT_EQ(std::count(matching.peers.begin(), matching.peers.end(), -1), 2);
}

TEST(PatternsTest, repeats_go_through_the_same_pairs_in_another_order) {
    const Fleet fleet = even_fleet(6, 1);
    PairsOptions options;
    options.repeats = 2;
    const auto matchings = match_ranks("all-pairs", options, fleet, nullptr);
    ASSERT_EQ(matchings.size(), 10u);
    EXPECT_EQ(matchings[4].repeat, 0);
    EXPECT_EQ(matchings[5].repeat, 1);
    EXPECT_EQ(matchings[5].round, 0);
    EXPECT_NE(matchings[0].peers, matchings[5].peers);
    std::set<std::pair<int, int>> pairs;
    for (std::size_t i = 5; i < 10; ++i)
        for (int rank = 0; rank < 6; ++rank)
            pairs.insert({rank, matchings[i].peers[static_cast<std::size_t>(rank)]});
    EXPECT_EQ(pairs.size(), 30u);
}

TEST(PatternsTest, cross_rail_goes_from_every_rail_to_every_other) {
    const Fleet fleet = even_fleet(2, 3);
    const auto matchings = match_ranks("cross-rail", {}, fleet, nullptr);
    EXPECT_THAT(rails_of(matchings), ElementsAre("0>1,1>2,2>0", "0>2,1>0,2>1"));
    EXPECT_THAT(matchings[0].peers, ElementsAre(4, 5, 3, 2, 0, 1));
}

TEST(PatternsTest, planes_are_measured_apart) {
    const Site site = two_planes_two_leaves();
    const auto matchings = match_ranks("plane", {}, even_fleet(2, 4), &site);
    ASSERT_THAT(rails_of(matchings), ElementsAre("0,2", "1,3"));
    EXPECT_EQ(matchings[0].plane, "A");
    EXPECT_EQ(matchings[1].plane, "B");
    EXPECT_THAT(matchings[0].peers, ElementsAre(4, -1, 6, -1, 0, -1, 2, -1));
}

TEST(PatternsTest, cross_plane_goes_from_each_plane_to_the_other) {
    const Site site = two_planes_two_leaves();
    const Fleet fleet = even_fleet(2, 4);
    const auto matchings = match_ranks("cross-plane", {}, fleet, &site);
    ASSERT_THAT(rails_of(matchings), ElementsAre("0>1,1>0,2>3,3>2", "0>3,3>0,2>1,1>2"));
    for (const Matching& matching : matchings) {
        expect_disjoint_pairs(fleet, matching);
        for (int rank = 0; rank < fleet.ranks(); ++rank) {
            const int peer = matching.peers[static_cast<std::size_t>(rank)];
            EXPECT_NE(fleet.rail_of(rank) % 2, fleet.rail_of(peer) % 2);
        }
    }
}

TEST(PatternsTest, bisection_pairs_every_node_across_leaves) {
    const Site site = two_planes_two_leaves();
    const Fleet fleet = even_fleet(8, 2);
    const auto matchings = match_ranks("bisection", {}, fleet, &site);
    ASSERT_EQ(matchings.size(), 1u);
    EXPECT_EQ(matchings[0].pairs(), 8);
    for (int rank = 0; rank < fleet.ranks(); ++rank) {
        const int peer = matchings[0].peers[static_cast<std::size_t>(rank)];
        EXPECT_NE(fleet.node_of(rank) < 4, fleet.node_of(peer) < 4);
    }
}

TEST(PatternsTest, one_pair_is_two_ranks_or_two_hosts) {
    const Fleet fleet = even_fleet(3, 2);
    PairsOptions options;
    options.pair = "4:1";
    const auto ranks = match_ranks("one-pair", options, fleet, nullptr);
    ASSERT_EQ(ranks.size(), 1u);
    EXPECT_EQ(ranks[0].rails, "1>0");
    EXPECT_THAT(ranks[0].peers, ElementsAre(-1, 4, -1, -1, 1, -1));
    options.pair = "n2:n0";
    EXPECT_THAT(match_ranks("one-pair", options, fleet, nullptr).at(0).peers,
                ElementsAre(4, 5, -1, -1, 0, 1));
}

TEST(PatternsTest, a_pair_that_does_not_exist_is_refused) {
    const Fleet fleet = even_fleet(2, 1);
    const std::map<std::string, std::string> cases{{"", "is no pair"},
                                                   {"0", "is no pair"},
                                                   {":1", "is no pair"},
                                                   {"0:2", "rank 2 does not exist"},
                                                   {"0:99999999999999999999", "does not exist"},
                                                   {"1:1", "has the same end twice"},
                                                   {"n0:n0", "has the same end twice"},
                                                   {"n0:서울", "does not run on '서울'"}};
    for (const auto& [text, expected] : cases) {
        PairsOptions options;
        options.pair = text;
        EXPECT_THAT(refusal([&] { match_ranks("one-pair", options, fleet, nullptr); }),
                    HasSubstr(expected));
    }
}

TEST(PatternsTest, a_pair_with_a_rank_without_a_link_is_refused) {
    Placement placement = make_rail_placement({{0, 1}, {0, 1}});
    placement.ranks[3].rail_is_dead = true;
    const Fleet fleet = make_fleet(placement, nullptr);
    PairsOptions options;
    for (const char* pair : {"1:3", "3:1", "2:3"}) {
        options.pair = pair;
        EXPECT_THAT(refusal([&] { match_ranks("one-pair", options, fleet, nullptr); }),
                    HasSubstr("rank 3 of --pair has no link on n1 rail 1"));
    }
    options.pair = "0:2";
    EXPECT_EQ(match_ranks("one-pair", options, fleet, nullptr).at(0).pairs(), 1);
}

TEST(PatternsTest, one_node_has_only_pairs_of_its_own_ranks) {
    const Fleet fleet = even_fleet(1, 4);
    for (const char* pattern : {"all-pairs", "rail-sweep", "cross-rail"})
        EXPECT_THAT(refusal([&] { match_ranks(pattern, {}, fleet, nullptr); }),
                    HasSubstr("the job runs on one node"));
    PairsOptions options;
    options.pair = "0:3";
    EXPECT_EQ(match_ranks("one-pair", options, fleet, nullptr).size(), 1u);
}

TEST(PatternsTest, what_only_the_site_file_knows_needs_one) {
    for (const char* pattern : {"plane", "cross-plane", "bisection"})
        EXPECT_THAT(refusal([&] { match_ranks(pattern, {}, even_fleet(2, 2), nullptr); }),
                    HasSubstr("needs a site file"));
}

TEST(PatternsTest, a_pattern_without_two_sides_is_refused) {
    const Site site = two_planes_two_leaves();
    EXPECT_THAT(refusal([&] { match_ranks("bisection", {}, even_fleet(4, 1), &site); }),
                HasSubstr("pattern bisection has no pair in this job"));
    EXPECT_THAT(refusal([&] { match_ranks("cross-plane", {}, even_fleet(4, 1), &site); }),
                HasSubstr("pattern cross-plane has no pair in this job"));
}

/// GPU nodes g0 .. with rails 0 to 3 in planes A, B, A, B, storage nodes s0 .. with rails 0 and 1.
Site gpu_and_storage() {
    return parse_site(R"(
format = 1
name = "test"
control_interface = "mgmt0"
planes = [{name = "A"}, {name = "B"}]
rails = [
    {index = 0, name = "rail 0", plane = "A", rate_gbit_per_s = 0.1},
    {index = 1, name = "rail 1", plane = "B", rate_gbit_per_s = 0.1},
    {index = 2, name = "rail 2", plane = "A", rate_gbit_per_s = 0.1},
    {index = 3, name = "rail 3", plane = "B", rate_gbit_per_s = 0.1},
]

[[groups]]
name = "gpu"
hosts = ["n[0-1]"]
ports = [
    {rail = 0, netdev = "rail0"},
    {rail = 1, netdev = "rail1"},
    {rail = 2, netdev = "rail2"},
    {rail = 3, netdev = "rail3"},
]

[[groups]]
name = "storage"
hosts = ["n[2-4]"]
ports = [{rail = 0, netdev = "rail0"}, {rail = 1, netdev = "rail1"}]
)",
                      "test.toml");
}

std::vector<Matching> between(const std::string& groups) {
    const Site site = gpu_and_storage();
    PairsOptions options;
    options.between = groups;
    const std::vector<int> four{0, 1, 2, 3};
    const std::vector<int> two{0, 1};
    return match_ranks("bipartite", options,
                       make_fleet(make_rail_placement({four, four, two, two, two}), &site), &site);
}

TEST(PatternsTest, bipartite_joins_every_node_of_a_group_with_every_node_of_another) {
    for (const char* groups : {"gpu:storage", "storage:gpu"}) {
        const auto matchings = between(groups);
        std::map<std::pair<int, int>, int> meetings;
        for (const Matching& matching : matchings) {
            EXPECT_EQ(matching.pairs(), 4);  // both GPU nodes on both planes
            for (int rank = 0; rank < 8; ++rank)
                if (const int peer = matching.peers[static_cast<std::size_t>(rank)]; peer >= 0)
                    ++meetings[{rank, peer}];
        }
        // Each of 8 GPU ports with the storage port of its plane, on each of 3 nodes.
        EXPECT_EQ(meetings.size(), 24u);
        for (const auto& [pair, times] : meetings) {
            EXPECT_EQ(times, 1);
            EXPECT_GE(pair.second, 8);
            EXPECT_EQ(pair.first % 2, pair.second % 2);  // of one plane
        }
    }
}

TEST(PatternsTest, bipartite_has_as_many_rounds_as_the_larger_group_for_each_turn_of_the_rails) {
    const auto matchings = between("gpu:storage");
    EXPECT_EQ(matchings.size(), 6u);
    EXPECT_THAT(rails_of(matchings), ElementsAre("0,1", "2>0,3>1"));
    EXPECT_EQ(matchings[2].round, 2);
    EXPECT_EQ(matchings[3].round, 0);
}

TEST(PatternsTest, bipartite_needs_two_groups_that_the_job_runs_on) {
    for (const char* groups : {"", "gpu", "gpu:", ":gpu", "gpu:gpu"})
        EXPECT_THAT(refusal([&] { between(groups); }), HasSubstr("does not name two groups"));
    EXPECT_THAT(refusal([] { between("gpu:compute"); }), HasSubstr("'compute', which has no node"));
}

}  // namespace
}  // namespace railgauge
