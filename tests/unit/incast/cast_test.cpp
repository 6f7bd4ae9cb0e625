// SPDX-License-Identifier: Apache-2.0
// Who receives, who sends, and where the victim is.
#include "incast/cast.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../pairs/support.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::even_fleet;
using ::testing::HasSubstr;
using testing::make_rail_placement;
using testing::refusal;
using testing::two_planes_two_leaves;

std::vector<int> senders_of(const std::string& spread, int receiver, int senders,
                            const Fleet& fleet) {
    return make_crews(spread, {receiver}, std::nullopt, senders, fleet).front().senders;
}

// Rank r of even_fleet(n, 2) is on node r / 2, rail r % 2.

TEST(SenderPoolTest, takes_ranks_of_the_receivers_rail_on_other_nodes) {
    EXPECT_THAT(sender_pool("rail", 2, even_fleet(4, 2)), ElementsAre(0, 4, 6));
}

TEST(SenderPoolTest, goes_on_with_other_rails_and_then_the_own_node_when_asked) {
    EXPECT_THAT(sender_pool("nodes", 2, even_fleet(3, 2)), ElementsAre(0, 4, 1, 5));
    EXPECT_THAT(sender_pool("all", 2, even_fleet(3, 2)), ElementsAre(0, 4, 1, 5, 3));
}

TEST(SenderPoolTest, falls_back_to_the_own_node_when_there_is_no_other) {
    const Fleet fleet = make_fleet(make_rail_placement({{-1, -1, -1}}), nullptr);
    EXPECT_THAT(sender_pool("rail", 1, fleet), ElementsAre(0, 2));
}

TEST(SenderPoolTest, spreads_senders_over_nodes_before_it_takes_a_second_lane) {
    const Fleet fleet = make_fleet(make_rail_placement({{0}, {0, 0}, {0, 0}, {0, 0}}), nullptr);
    const std::vector<int> three = senders_of("rail", 0, 3, fleet);
    EXPECT_EQ((std::set{fleet.node_of(three[0]), fleet.node_of(three[1]), fleet.node_of(three[2])}),
              (std::set{1, 2, 3}));
    EXPECT_THAT(senders_of("rail", 0, 6, fleet), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(SenderPoolTest, leaves_out_ranks_without_a_link) {
    Placement placement = make_rail_placement({{0}, {0}, {0}});
    placement.ranks[1].rail_is_dead = true;
    EXPECT_THAT(sender_pool("all", 0, make_fleet(placement, nullptr)), ElementsAre(2));
}

TEST(CrewTest, crews_share_no_rank_and_have_equally_many_senders) {
    const std::vector<Crew> crews = make_crews("rail", {0, 1}, std::nullopt, 3, even_fleet(8, 1));
    EXPECT_THAT(crews[0].senders, ElementsAre(2, 4, 6));
    EXPECT_THAT(crews[1].senders, ElementsAre(3, 5, 7));
    EXPECT_EQ(most_senders("rail", {0, 1}, std::nullopt, even_fleet(9, 1)), 3);
}

TEST(CrewTest, senders_come_last_where_they_share_a_nic_with_the_victim) {
    const Fleet fleet = make_fleet(make_rail_placement({{0}, {0, 0}, {0}, {0, 0}, {0}}), nullptr);
    const auto victim = choose_victim("other", {0}, fleet, nullptr);
    const std::vector<int> senders = make_crews("rail", {0}, victim, 3, fleet).front().senders;
    EXPECT_EQ(std::count(senders.begin(), senders.end(), victim->asker), 0);
    EXPECT_EQ(std::count(senders.begin(), senders.end(), victim->answerer), 0);
    const int last_but_one = senders[1];
    EXPECT_NE(fleet.node_of(last_but_one), fleet.node_of(victim->asker));
}

TEST(VictimTest, at_the_same_receiver_it_is_a_lane_of_its_nic_or_the_receiver_itself) {
    const Fleet lanes = make_fleet(make_rail_placement({{0, 0}, {0}, {0}}), nullptr);
    EXPECT_EQ(choose_victim("same-receiver", {0}, lanes, nullptr)->answerer, 1);
    const auto victim = choose_victim("same-receiver", {0}, even_fleet(3, 2), nullptr);
    EXPECT_EQ(victim->answerer, 0);
    EXPECT_EQ(victim->asker, 4);
}

TEST(VictimTest, at_the_same_leaf_it_goes_to_another_node_of_the_receivers_leaf) {
    const Site site = two_planes_two_leaves();
    const Fleet fleet = make_fleet(
        make_rail_placement(std::vector<std::vector<int>>(8, std::vector<int>{0})), &site);
    const auto victim = choose_victim("same-leaf", {1}, fleet, &site);
    EXPECT_EQ(victim->answerer, 3);
    EXPECT_NE(victim->asker, 1);
    EXPECT_NE(victim->asker, 3);
}

TEST(VictimTest, elsewhere_it_keeps_to_another_leaf_and_to_nodes_where_nobody_receives) {
    const Site site = two_planes_two_leaves();
    const Fleet fleet = make_fleet(
        make_rail_placement(std::vector<std::vector<int>>(8, std::vector<int>{0})), &site);
    const auto victim = choose_victim("other", {1}, fleet, &site);
    EXPECT_EQ(victim->answerer, 7);
    EXPECT_EQ(victim->asker, 6);
}

TEST(VictimTest, is_refused_where_the_job_has_no_ranks_for_it) {
    const auto refused = [](const char* placed, int nodes) {
        return refusal([&] { choose_victim(placed, {0}, even_fleet(nodes, 1), nullptr); });
    };
    EXPECT_THAT(refused("same-leaf", 2), HasSubstr("--victim same-leaf has no pair"));
    EXPECT_THAT(refused("other", 2), HasSubstr("two more nodes"));
    EXPECT_THAT(refused("same-receiver", 1), HasSubstr("a rank beside the receiver"));
}

TEST(ReceiverTest, is_the_first_rank_unless_named) {
    IncastOptions options;
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)), ElementsAre(ElementsAre(0)));
    options.receiver = {"n2"};
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)), ElementsAre(ElementsAre(4)));
    options.receiver = {"3"};
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)), ElementsAre(ElementsAre(3)));
}

TEST(ReceiverTest, in_turn_is_a_rank_of_every_node_and_at_once_several) {
    IncastOptions options;
    options.receivers = "in-turn";
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)),
                ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(4)));
    options.receivers = "at-once";
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)), ElementsAre(ElementsAre(0, 2)));
    options.receiver = {"n0", "n1", "n2"};
    EXPECT_THAT(receiver_sets(options, even_fleet(3, 2)), ElementsAre(ElementsAre(0, 2, 4)));
}

TEST(ReceiverTest, that_the_job_has_not_is_refused_by_name) {
    const auto refused = [](std::vector<std::string> names, const char* mode = "in-turn") {
        IncastOptions options;
        options.receiver = std::move(names);
        options.receivers = mode;
        return refusal([&] { receiver_sets(options, even_fleet(3, 2)); });
    };
    EXPECT_THAT(refused({"n7"}), HasSubstr("--receiver 'n7' cannot receive"));
    EXPECT_THAT(refused({"6"}), HasSubstr("ranks 0 to 5 on 3 nodes"));
    EXPECT_THAT(refused({"-1"}), HasSubstr("cannot receive"));
    EXPECT_THAT(refused({"0", "n0"}), HasSubstr("rank 0 twice"));
    EXPECT_THAT(refused({"0", "1"}, "one"), HasSubstr("add --receivers"));
}

TEST(CastTest, digest_differs_where_others_send) {
    const Fleet fleet = even_fleet(4, 1);
    const Cast cast{make_crews("rail", {0}, std::nullopt, 2, fleet), std::nullopt};
    const Cast other{make_crews("rail", {1}, std::nullopt, 2, fleet), std::nullopt};
    EXPECT_EQ(cast.digest(fleet).size(), 8u);
    EXPECT_NE(cast.digest(fleet), other.digest(fleet));
}

}  // namespace
}  // namespace railgauge
