// SPDX-License-Identifier: Apache-2.0
#include "program/time_summary.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "program/progress_line.hpp"

namespace railgauge {
namespace {

std::vector<Cell> one_to(std::size_t n) {
    std::vector<Cell> cells(n);
    std::iota(cells.begin(), cells.end(), 1);
    return cells;
}

TEST(TimeCollectorTest, pools_what_all_ranks_took) {
    TimeCollector times;
    times.add(one_to(500));
    times.add(one_to(500));
    const TimeSummary summary = times.summarise(1);
    EXPECT_EQ(summary.samples, 1000u);
    EXPECT_DOUBLE_EQ(summary.mean_ns, 250.5);
    EXPECT_DOUBLE_EQ(summary.median_ns, 250);
    EXPECT_DOUBLE_EQ(summary.p99_ns, 495);
    EXPECT_DOUBLE_EQ(summary.max_ns, 500);
}

TEST(TimeCollectorTest, gives_times_of_one_operation_of_a_batch) {
    TimeCollector times;
    times.add(std::vector<Cell>{100, 200, 300});
    const TimeSummary summary = times.summarise(10);
    EXPECT_DOUBLE_EQ(summary.mean_ns, 20);
    EXPECT_DOUBLE_EQ(summary.median_ns, 20);
    EXPECT_DOUBLE_EQ(summary.max_ns, 30);
}

TEST(TimeCollectorTest, says_nothing_it_cannot_know) {
    TimeCollector times;
    EXPECT_TRUE(std::isnan(times.summarise(1).mean_ns));
    times.add(one_to(999));
    EXPECT_TRUE(std::isnan(times.summarise(1).p99_ns));
    times.add(one_to(1));
    EXPECT_FALSE(std::isnan(times.summarise(1).p99_ns));
}

TEST(TimeCollectorTest, leaves_quantiles_out_beyond_what_it_keeps) {
    TimeCollector times;
    const std::vector<Cell> million(1'000'000, 5);
    for (int i = 0; i < 17; ++i)
        times.add(million);
    const TimeSummary summary = times.summarise(1);
    EXPECT_EQ(summary.samples, 17'000'000u);
    EXPECT_DOUBLE_EQ(summary.mean_ns, 5);
    EXPECT_TRUE(std::isnan(summary.median_ns));
}

TEST(FormatElapsedTest, shows_hours_only_when_there_are_any) {
    EXPECT_EQ(format_elapsed(12'300'000'000), "0:12");
    EXPECT_EQ(format_elapsed(3'727'000'000'000), "1:02:07");
}

}  // namespace
}  // namespace railgauge
