// SPDX-License-Identifier: Apache-2.0
#include "pairs/pair_times.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "measure/sweep.hpp"
#include "pairs/table.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using ::testing::EndsWith;
using testing::even_fleet;
using ::testing::HasSubstr;
using testing::make_rail_placement;

constexpr PairCall window{PairOperation::bandwidth, Direction::both, 1000, 10};
constexpr PairCall round_trip{PairOperation::latency, Direction::round_trip, 8, 1};

Matching pairing(std::vector<int> peers) {
    Matching matching;
    matching.peers = std::move(peers);
    return matching;
}

void add(PairTimes& times, int rank, const std::vector<std::int64_t>& ns) {
    const std::vector<Cell> cells(ns.begin(), ns.end());
    times.add(rank, cells);
}

TEST(PairTimesTest, a_pair_is_its_window_over_the_median_acknowledgement) {
    PairTimes times;
    add(times, 0, {80'000, 100'000, 8'000'000});  // 10 kB in 100 us are 0.8 Gbit/s
    add(times, 1, {160'000});
    const auto summary = times.summarise(window, 1, pairing({1, 0}), even_fleet(2, 1));
    EXPECT_DOUBLE_EQ(summary.highest_gbit_per_s, 0.8);
    EXPECT_DOUBLE_EQ(summary.lowest_gbit_per_s, 0.5);
    EXPECT_EQ(summary.slowest, "n1 rail 0 -> n0");
    EXPECT_TRUE(std::isnan(summary.median_ns));
}

TEST(PairTimesTest, lanes_of_a_rail_add_up) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 0}, {0, 0}}), nullptr);
    PairTimes times;
    add(times, 0, {100'000});
    add(times, 1, {200'000});
    const auto summary = times.summarise(window, 1, pairing({2, 3, 0, 1}), fleet);
    EXPECT_DOUBLE_EQ(summary.lowest_gbit_per_s, 0.8 + 0.4);
    EXPECT_DOUBLE_EQ(summary.highest_gbit_per_s, summary.lowest_gbit_per_s);
}

TEST(PairTimesTest, a_sample_of_many_operations_moves_as_many_windows) {
    PairTimes times;
    add(times, 0, {100'000});
    const auto summary = times.summarise(window, 5, pairing({1, 0}), even_fleet(2, 1));
    EXPECT_DOUBLE_EQ(summary.lowest_gbit_per_s, 4.0);
}

TEST(PairTimesTest, ranks_that_only_receive_do_not_count) {
    PairTimes times;
    add(times, 0, {100'000});
    add(times, 1, {-1, -1});
    const auto summary = times.summarise(window, 1, pairing({1, 0}), even_fleet(2, 1));
    EXPECT_DOUBLE_EQ(summary.lowest_gbit_per_s, 0.8);
}

TEST(PairTimesTest, latency_is_half_of_the_round_trip_and_its_maximum_is_kept) {
    PairTimes times;
    std::vector<std::int64_t> ns(999, 10'000);
    ns.push_back(777'000);
    add(times, 0, ns);
    const auto summary = times.summarise(round_trip, 1, pairing({1, 0}), even_fleet(2, 1));
    EXPECT_DOUBLE_EQ(summary.median_ns, 5'000);
    EXPECT_DOUBLE_EQ(summary.p99_ns, 5'000);
    EXPECT_DOUBLE_EQ(summary.max_ns, 388'500);
    EXPECT_EQ(summary.slowest, "n0 rail 0 -> n1");
}

TEST(PairTimesTest, a_percentile_needs_samples_beyond_it) {
    PairTimes times;
    add(times, 0, std::vector<std::int64_t>(999, 10'000));
    EXPECT_TRUE(
        std::isnan(times.summarise(round_trip, 1, pairing({1, 0}), even_fleet(2, 1)).p99_ns));
}

TEST(PairTimesTest, across_rails_both_are_named) {
    PairTimes times;
    add(times, 0, {100'000});
    const auto summary = times.summarise(window, 1, pairing({3, -1, -1, 0}), even_fleet(2, 2));
    EXPECT_EQ(summary.slowest, "n0 rail 0 -> n1 rail 1");
}

TEST(PairTimesTest, within_a_node_ranks_are_named) {
    PairTimes times;
    add(times, 1, {100'000});
    const auto summary = times.summarise(window, 1, pairing({1, 0}), even_fleet(1, 2));
    EXPECT_EQ(summary.slowest, "rank 1 -> rank 0");
}

TEST(PairTimesTest, a_rank_and_a_receiver_outside_are_named_in_the_direction_of_payload) {
    Matching matching = pairing({0, 1});
    matching.served = "storage1:7471";
    PairTimes times;
    add(times, 0, {100'000});
    add(times, 1, {200'000});
    PairCall call{PairOperation::bandwidth, Direction::forward, 1000, 10, Verb::write};
    const auto written = times.summarise(call, 1, matching, even_fleet(2, 1));
    EXPECT_EQ(written.slowest, "rank 1 (n1 rail 0) -> storage1:7471");
    EXPECT_DOUBLE_EQ(written.highest_gbit_per_s, 0.8);
    call.verb = Verb::read;
    const auto read = times.summarise(call, 1, matching, even_fleet(2, 1));
    EXPECT_EQ(read.slowest, "storage1:7471 -> rank 1 (n1 rail 0)");
}

TEST(PairTimesTest, another_case_begins_with_nothing) {
    PairTimes times;
    add(times, 0, {100'000});
    times.begin(1);
    const auto summary = times.summarise(window, 1, pairing({1, 0}), even_fleet(2, 1));
    EXPECT_TRUE(std::isnan(summary.lowest_gbit_per_s));
}

TEST(PairsTableTest, rows_line_up_with_the_header_and_say_why_a_case_was_not_measured) {
    PairsOptions options;
    options.sizes = "1MiB";
    const Case c = plan_pairs(options, even_fleet(2, 4), nullptr).cases.front();
    CaseResult result;
    result.status = CaseStatus::done;
    const double none = std::nan("");
    const PairSummary summary{0.0701, 0.0956, 0.0961, none, none, none, "n3 rail 2 -> n7"};
    const std::string row = pairs_table_row(c, result, summary);
    for (const char* cell : {"bandwidth", "all-pairs", "0,1,2,3", "1048576", "0.0701", "0.0956",
                             "0.0961", " - ", "N/A"})
        EXPECT_THAT(row, HasSubstr(cell));
    EXPECT_THAT(row, EndsWith(" n3 rail 2 -> n7"));
    const std::string header = pairs_table_header();
    const std::string units = header.substr(header.rfind('\n') + 1);
    EXPECT_EQ(row.find("0.0961"), units.rfind("(Gb/s)"));
    result.status = CaseStatus::skipped;
    result.reason = "no memory";
    EXPECT_THAT(pairs_table_row(c, result, summary), EndsWith("  skipped: no memory"));
}

}  // namespace
}  // namespace railgauge
