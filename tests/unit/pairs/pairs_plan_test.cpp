// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "measure/sweep.hpp"
#include "pairs/plan.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::even_fleet;
using testing::make_rail_placement;
using testing::refusal;

std::vector<std::string> names(const PairsPlan& plan) {
    std::vector<std::string> names;
    for (const Case& c : plan.cases)
        names.push_back(c.name());
    return names;
}

TEST(PairsPlanTest, names_say_every_variable) {
    PairsOptions options;
    options.sizes = "1MiB";
    options.depths = {4};
    EXPECT_THAT(names(plan_pairs(options, even_fleet(2, 2), nullptr)),
                ElementsAre("bandwidth/mpi/host/all-pairs/send/both/1048576x1x1/0,1/0/0",
                            "bandwidth/mpi/host/all-pairs/send/both/1048576x4x1/0,1/0/0"));
}

TEST(PairsPlanTest, depth_1_is_always_measured) {
    PairsOptions options;
    options.sizes = "4KiB";
    for (const std::vector<int>& depths : {std::vector<int>{}, {1}, {8, 1, 8}}) {
        options.depths = depths;
        const auto plan = plan_pairs(options, even_fleet(2, 1), nullptr);
        EXPECT_EQ(plan.cases.front().integer("depth"), 1);
        EXPECT_EQ(plan.cases.size(), depths.size() == 3 ? 2u : 1u);
    }
}

TEST(PairsPlanTest, latency_is_a_round_trip_of_single_messages) {
    PairsOptions options;
    options.operations = {"latency"};
    options.sizes = "8,4KiB";
    const auto plan = plan_pairs(options, even_fleet(2, 1), nullptr);
    EXPECT_THAT(names(plan),
                ElementsAre("latency/mpi/host/all-pairs/send/round-trip/8x1x1/0/0/0",
                            "latency/mpi/host/all-pairs/send/round-trip/4096x1x1/0/0/0"));
}

TEST(PairsPlanTest, rounds_vary_fastest_then_depth_size_direction_and_pattern) {
    PairsOptions options;
    options.patterns = {"rail-sweep", "all-pairs"};
    options.directions = {"forward", "backward"};
    options.sizes = "1KiB,2KiB";
    options.depths = {1};
    const auto plan = plan_pairs(options, even_fleet(4, 1), nullptr);
    EXPECT_THAT(names(plan),
                ElementsAre("bandwidth/mpi/host/rail-sweep/send/forward/1024x1x1/0/0/0",
                            "bandwidth/mpi/host/rail-sweep/send/forward/2048x1x1/0/0/0",
                            "bandwidth/mpi/host/rail-sweep/send/backward/1024x1x1/0/0/0",
                            "bandwidth/mpi/host/rail-sweep/send/backward/2048x1x1/0/0/0",
                            "bandwidth/mpi/host/all-pairs/send/forward/1024x1x1/0/0/0",
                            "bandwidth/mpi/host/all-pairs/send/forward/1024x1x1/0/0/1",
                            "bandwidth/mpi/host/all-pairs/send/forward/1024x1x1/0/0/2",
                            "bandwidth/mpi/host/all-pairs/send/forward/2048x1x1/0/0/0",
                            "bandwidth/mpi/host/all-pairs/send/forward/2048x1x1/0/0/1",
                            "bandwidth/mpi/host/all-pairs/send/forward/2048x1x1/0/0/2",
                            "bandwidth/mpi/host/all-pairs/send/backward/1024x1x1/0/0/0",
                            "bandwidth/mpi/host/all-pairs/send/backward/1024x1x1/0/0/1",
                            "bandwidth/mpi/host/all-pairs/send/backward/1024x1x1/0/0/2",
                            "bandwidth/mpi/host/all-pairs/send/backward/2048x1x1/0/0/0",
                            "bandwidth/mpi/host/all-pairs/send/backward/2048x1x1/0/0/1",
                            "bandwidth/mpi/host/all-pairs/send/backward/2048x1x1/0/0/2"));
}

TEST(PairsPlanTest, a_case_finds_its_matching_and_its_call) {
    PairsOptions options;
    options.sizes = "1KiB";
    options.depths = {1, 8};
    options.directions = {"backward"};
    PairsPlan plan = plan_pairs(options, even_fleet(4, 1), nullptr);
    plan.cases = make_plan(std::move(plan.cases));
    const Case& last = plan.cases.back();
    EXPECT_EQ(plan.matching(last.id()).round, 2);
    EXPECT_EQ(last.integer("round"), 2);
    EXPECT_EQ(last.integer("pairs"), 2);
    const PairCall call = call_of(last);
    EXPECT_EQ(call.operation, PairOperation::bandwidth);
    EXPECT_EQ(call.direction, Direction::backward);
    EXPECT_EQ(call.window_bytes(), 8192u);
}

std::string id_of(const PairsOptions& options, const Fleet& fleet) {
    return plan_id(plan_pairs(options, fleet, nullptr).cases, "");
}

TEST(PairsPlanTest, who_talks_to_whom_is_part_of_the_plan) {
    PairsOptions options;
    options.patterns = {"one-pair"};
    options.pair = "0:1";
    const std::string id = id_of(options, even_fleet(3, 1));
    EXPECT_EQ(id_of(options, even_fleet(3, 1)), id);
    options.pair = "1:0";
    EXPECT_EQ(id_of(options, even_fleet(3, 1)), id);
    options.pair = "0:2";
    EXPECT_NE(id_of(options, even_fleet(3, 1)), id);
}

TEST(PairsPlanTest, the_order_of_a_repeat_is_part_of_the_plan) {
    PairsOptions options;
    const Fleet fleet = even_fleet(6, 1);
    const std::string once = id_of(options, fleet);
    options.seed = 2;
    EXPECT_EQ(id_of(options, fleet), once);
    options.repeats = 2;
    const std::string twice = id_of(options, fleet);
    options.seed = 1;
    EXPECT_NE(id_of(options, fleet), twice);
}

TEST(PairsPlanTest, rails_by_rank_are_part_of_the_plan) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1}, {0, 1}}), nullptr);
    const Fleet crossed = make_fleet(make_rail_placement({{1, 0}, {1, 0}}), nullptr);
    EXPECT_NE(id_of({}, fleet), id_of({}, crossed));
}

TEST(PairsPlanTest, a_matching_has_the_same_digest_wherever_it_is_computed) {
    const Case c = plan_pairs({}, even_fleet(2, 2), nullptr).cases.front();
    EXPECT_EQ(c.text("matching"), "6b438cf2");
}

TEST(PairsPlanTest, a_receiver_outside_is_part_of_every_case_of_its_pattern) {
    PairsOptions options;
    options.patterns = {"served", "all-pairs"};
    options.backend = "ucx";
    options.verbs = {"write", "read"};
    options.served.server = "storage1";
    options.sizes = "1KiB";
    options.depths = {1};
    const auto plan = plan_pairs(options, even_fleet(2, 2), nullptr);
    EXPECT_THAT(names(plan),
                ElementsAre("bandwidth/ucx/host/served/write/forward/1024x1x1/0,1/0/0",
                            "bandwidth/ucx/host/served/read/backward/1024x1x1/0,1/0/0",
                            "bandwidth/ucx/host/all-pairs/write/both/1024x1x1/0,1/0/0",
                            "bandwidth/ucx/host/all-pairs/read/both/1024x1x1/0,1/0/0"));
    EXPECT_EQ(plan.cases.front().text("served_host"), "storage1:7471");
    EXPECT_EQ(plan.cases.front().text("served_memory"), "host");
    EXPECT_EQ(plan.cases.front().integer("pairs"), 4);
    EXPECT_EQ(plan.cases.back().text("served_host"), "");
    EXPECT_EQ(plan.cases.back().text("served_memory"), "");
}

TEST(PairsPlanTest, sizes_that_are_none_are_refused) {
    PairsOptions options;
    for (const char* sizes : {"0,1KiB", "18446744073709551615", "many"}) {
        options.sizes = sizes;
        EXPECT_NE(refusal([&] { plan_pairs(options, even_fleet(2, 1), nullptr); }), "accepted");
    }
}

}  // namespace
}  // namespace railgauge
