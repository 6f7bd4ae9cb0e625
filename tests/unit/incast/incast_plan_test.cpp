// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../pairs/support.hpp"
#include "incast/plan.hpp"
#include "measure/sweep.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::even_fleet;
using ::testing::HasSubstr;
using testing::refusal;

IncastOptions small() {
    IncastOptions options;
    options.senders = {"1", "2"};
    options.queues = {1, 4};
    options.sizes = "4KiB,64KiB";
    return options;
}

std::vector<std::string> names_of(const IncastPlan& plan) {
    std::vector<std::string> names;
    for (const Case& c : plan.cases)
        names.push_back(c.name());
    return names;
}

TEST(IncastPlanTest, varies_senders_slowest_and_sizes_fastest) {
    const IncastPlan plan = plan_incast(small(), even_fleet(3, 1), nullptr);
    ASSERT_EQ(plan.cases.size(), 8u);
    EXPECT_EQ(plan.cases[0].name(), "incast/mpi/host/send/0/1x1/4096x16/none/alone");
    EXPECT_EQ(plan.cases[1].name(), "incast/mpi/host/send/0/1x1/65536x16/none/alone");
    EXPECT_EQ(plan.cases[2].name(), "incast/mpi/host/send/0/1x4/4096x16/none/alone");
    EXPECT_EQ(plan.cases[4].name(), "incast/mpi/host/send/0/2x1/4096x16/none/alone");
    EXPECT_EQ(plan.cast(7).crews.front().senders.size(), 2u);
}

TEST(IncastPlanTest, all_is_as_many_as_there_are_and_more_are_left_out_with_a_remark) {
    IncastOptions options = small();
    options.senders = {"1", "2", "4", "all", "8"};
    options.queues = {1};
    options.sizes = "4KiB";
    const IncastPlan plan = plan_incast(options, even_fleet(5, 1), nullptr);
    std::vector<std::int64_t> senders;
    for (const Case& c : plan.cases)
        senders.push_back(c.integer("senders"));
    EXPECT_THAT(senders, ElementsAre(1, 2, 4));
    EXPECT_THAT(plan.remarks, ElementsAre(HasSubstr("can have 4 senders: --senders 8 is not")));
}

TEST(IncastPlanTest, measures_each_case_beside_a_victim_in_three_ways_with_the_same_ranks) {
    IncastOptions options = small();
    options.queues = {1};
    options.sizes = "4KiB";
    options.victim = "other";
    const IncastPlan plan = plan_incast(options, even_fleet(5, 1), nullptr);
    ASSERT_EQ(plan.cases.size(), 6u);
    for (std::size_t i = 0; i < plan.cases.size(); ++i) {
        EXPECT_EQ(plan.cases[i].text("congestion"),
                  (std::vector{"isolated", "congested", "alone"})[i % 3]);
        EXPECT_EQ(plan.cases[i].text("victim_ranks"), plan.cases.front().text("victim_ranks"));
    }
}

TEST(IncastPlanTest, receivers_in_turn_have_cases_of_their_own_whose_names_differ) {
    IncastOptions options = small();
    options.receivers = "in-turn";
    IncastPlan plan = plan_incast(options, even_fleet(3, 2), nullptr);
    EXPECT_EQ(plan.cases.size(), 24u);
    EXPECT_NO_THROW(make_plan(plan.cases));
    EXPECT_THAT(names_of(plan), ::testing::Contains(HasSubstr("/send/4/2x4/")));
}

TEST(IncastPlanTest, reads_a_case_back) {
    IncastOptions options = small();
    options.backend = "verbs";
    options.ramp = true;
    options.victim = "other";
    options.victim_bytes = "1KiB";
    const IncastPlan plan = plan_incast(options, even_fleet(5, 1), nullptr);
    const IncastCall call = call_of_incast(plan.cases.at(1));
    EXPECT_EQ(call.verb, Verb::write);
    EXPECT_EQ(call.bytes, 4096u);
    EXPECT_EQ(call.queues, 1);
    EXPECT_EQ(call.depth, 16);
    EXPECT_TRUE(call.ramp);
    EXPECT_EQ(call.congestion, Congestion::congested);
    EXPECT_EQ(call.victim_bytes, 1024u);
}

TEST(IncastPlanTest, refuses_what_it_cannot_measure) {
    const auto refused = [](auto change, int nodes = 3) {
        IncastOptions options = small();
        change(options);
        return refusal([&] { plan_incast(options, even_fleet(nodes, 1), nullptr); });
    };
    EXPECT_THAT(refused([](IncastOptions& o) { o.senders = {"7"}; }),
                HasSubstr("no receiver has enough senders"));
    EXPECT_THAT(refused([](IncastOptions&) {}, 1), HasSubstr("1 ranks on 1 nodes"));
    EXPECT_THAT(refused([](IncastOptions& o) { o.sizes = "0"; }),
                HasSubstr("--sizes has a message"));
    EXPECT_THAT(refused([](IncastOptions& o) { o.victim_bytes = "8,16"; }),
                HasSubstr("--victim-size '8,16' is no size"));
    EXPECT_THAT(refused([](IncastOptions& o) { o.verb = "write"; }),
                HasSubstr("backend mpi has no one-sided messages"));
}

}  // namespace
}  // namespace railgauge
