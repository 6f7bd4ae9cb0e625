// SPDX-License-Identifier: Apache-2.0
// Known rows give known figures, in whatever stretches they come.
#include "incast/incast_times.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// `rows` rows of 1000 B each, within the window, in stretches of at most `stretch`.
void add_rows(IncastTimes& times, int rank, std::size_t rows, std::size_t stretch,
              std::int64_t elapsed_ns, std::int64_t completed_ns = 5) {
    const auto cells = [](std::size_t count, std::int64_t value) {
        return std::vector<Cell>(count, static_cast<Cell>(value));
    };
    for (std::size_t done = 0; done < rows; done += stretch) {
        const std::size_t count = std::min(stretch, rows - done);
        times.add(rank, "elapsed_ns", cells(count, elapsed_ns));
        times.add(rank, "bytes", cells(count, 1000));
        times.add(rank, "peer", cells(count, 0));
        times.add(rank, "longest_ns", cells(count, 2 * elapsed_ns));
        times.add(rank, "completed_ns", cells(count, completed_ns));
    }
}

Cast cast_with(std::vector<Crew> crews) {
    return {std::move(crews), Victim{8, 9}};
}

TEST(IncastTimesTest, a_sender_at_half_the_rate_shows_in_shares_and_jain) {
    IncastTimes times;
    times.begin(0, cast_with({{0, {1, 2, 3, 4}}}), second_ns);
    add_rows(times, 1, 500, 7, 100);
    for (int rank = 2; rank <= 4; ++rank)
        add_rows(times, rank, 1000, 300, 100);
    const IncastSummary summary = times.summarise();
    EXPECT_DOUBLE_EQ(summary.aggregate_gbit_per_s, 3500 * 8000 / 1e9);
    EXPECT_DOUBLE_EQ(summary.lowest_share, 500 / 875.0);
    EXPECT_DOUBLE_EQ(summary.highest_share, 1000 / 875.0);
    EXPECT_DOUBLE_EQ(summary.jain, 49.0 / 52);
    EXPECT_DOUBLE_EQ(summary.median_ns, 100);
    EXPECT_DOUBLE_EQ(summary.p99_ns, 100);
    EXPECT_DOUBLE_EQ(summary.max_ns, 200);
    EXPECT_TRUE(std::isnan(summary.victim_p99_ns));
}

TEST(IncastTimesTest, what_finished_after_the_window_is_no_part_of_a_rate) {
    IncastTimes times;
    times.begin(0, cast_with({{0, {1, 2}}}), second_ns);
    add_rows(times, 1, 100, 100, 50);
    add_rows(times, 2, 100, 100, 50);
    add_rows(times, 2, 100, 100, 50, second_ns);
    EXPECT_DOUBLE_EQ(times.summarise().aggregate_gbit_per_s, 200 * 8000 / 1e9);
    EXPECT_DOUBLE_EQ(times.summarise().jain, 1);
}

TEST(IncastTimesTest, a_sender_without_a_row_counts_as_starved) {
    IncastTimes times;
    times.begin(0, cast_with({{0, {1, 2}}}), second_ns);
    add_rows(times, 2, 100, 100, 50);
    EXPECT_DOUBLE_EQ(times.summarise().lowest_share, 0);
    EXPECT_DOUBLE_EQ(times.summarise().jain, 0.5);
    EXPECT_TRUE(std::isnan(times.summarise().p99_ns));
}

TEST(IncastTimesTest, of_several_receivers_the_one_with_least_is_shown) {
    IncastTimes times;
    times.begin(0, cast_with({{0, {2}}, {1, {3}}}), second_ns);
    add_rows(times, 2, 300, 100, 50);
    add_rows(times, 3, 100, 100, 50);
    EXPECT_DOUBLE_EQ(times.summarise().aggregate_gbit_per_s, 100 * 8000 / 1e9);
}

TEST(IncastTimesTest, a_victims_round_trips_are_no_requests_of_senders) {
    IncastTimes times;
    times.begin(0, cast_with({{0, {1}}}), second_ns);
    add_rows(times, 1, 10, 10, 50);
    add_rows(times, 8, 1000, 100, 7000);
    EXPECT_DOUBLE_EQ(times.summarise().victim_p99_ns, 7000);
    EXPECT_DOUBLE_EQ(times.summarise().max_ns, 100);
    EXPECT_DOUBLE_EQ(times.summarise().aggregate_gbit_per_s, 10 * 8000 / 1e9);
}

TEST(IncastTimesTest, a_case_without_rows_has_no_figures) {
    IncastTimes times;
    EXPECT_TRUE(std::isnan(times.summarise().aggregate_gbit_per_s));
    EXPECT_TRUE(std::isnan(times.summarise().max_ns));
}

}  // namespace
}  // namespace railgauge
