// SPDX-License-Identifier: Apache-2.0
#include "nccl/fault.hpp"

#include <gtest/gtest.h>

namespace {

using gpu_double::FaultKind;
using gpu_double::FaultMoment;
using gpu_double::parse_faults;

TEST(GpuDoubleFaultTest, several_faults_are_understood) {
    const auto faults = parse_faults("1:3:corrupt:5,0:*:slow:200,2:init:hang");
    ASSERT_TRUE(faults);
    ASSERT_EQ(faults->size(), 3u);
    EXPECT_EQ(faults->at(0).rank, 1);
    EXPECT_EQ(faults->at(0).sequence, 3u);
    EXPECT_EQ(faults->at(0).kind, FaultKind::corrupt);
    EXPECT_EQ(faults->at(0).amount, 5);
    EXPECT_EQ(faults->at(1).moment, FaultMoment::any);
    EXPECT_EQ(faults->at(2).moment, FaultMoment::init);
    EXPECT_EQ(faults->at(2).amount, 1);
}

TEST(GpuDoubleFaultTest, a_misspelt_fault_is_not_ignored) {
    for (const char* text : {"1:3", "x:3:hang", "1:soon:hang", "1:3:explode", "1:3:slow:fast",
                             "1:3:slow:1:2", "-1:3:hang"})
        EXPECT_FALSE(parse_faults(text)) << text;
}

}  // namespace
