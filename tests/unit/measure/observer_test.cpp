// SPDX-License-Identifier: Apache-2.0
#include "measure/observer.hpp"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

CounterReading reading(const std::string& name, std::uint64_t value) {
    return {"eth0", -1, "netdev", name, value};
}

TEST(JoinCountersTest, pairs_equal_identities) {
    const auto rows =
        join_counters({reading("a", 1), reading("b", 2)}, {reading("b", 5), reading("a", 4)}, 64);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].name, "a");
    EXPECT_EQ(rows[0].after, 4u);
    EXPECT_EQ(rows[1].before, 2u);
    EXPECT_EQ(rows[1].status, CounterStatus::ok);
}

TEST(JoinCountersTest, marks_what_cannot_be_subtracted) {
    const auto rows = join_counters(
        {reading("full", 255), reading("fills", 3), reading("wraps", 9), reading("goes", 1)},
        {reading("full", 255), reading("fills", 255), reading("wraps", 2), reading("new", 7)}, 8);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].status, CounterStatus::saturated);
    EXPECT_EQ(rows[1].status, CounterStatus::saturated);
    EXPECT_EQ(rows[2].status, CounterStatus::wrapped);
    EXPECT_EQ(rows[3].status, CounterStatus::vanished);
    EXPECT_EQ(rows[4].status, CounterStatus::appeared);
}

}  // namespace
}  // namespace railgauge
