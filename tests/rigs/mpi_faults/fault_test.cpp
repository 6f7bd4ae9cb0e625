// SPDX-License-Identifier: Apache-2.0
#include "fault.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace railgauge::faults {
namespace {

TEST(FaultTest, reads_several_faults) {
    const auto faults = parse_faults(
        "rank=2,function=MPI_Allreduce,call=100,action=hang_after;"
        "rank=0,function=MPI_Bcast,action=slow:25");
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[0].rank, 2);
    EXPECT_EQ(faults[0].function, "MPI_Allreduce");
    EXPECT_EQ(faults[0].call, 100U);
    EXPECT_EQ(faults[0].action, Action::hang_after);
    EXPECT_EQ(faults[1].call, 1U);
    EXPECT_EQ(faults[1].action, Action::slow);
    EXPECT_EQ(faults[1].delay_ms, 25);
}

TEST(FaultTest, refuses_what_would_never_be_applied) {
    for (const char* text : {"rank=x,function=MPI_Bcast,action=die", "rank=1,action=die",
                             "function=MPI_Bcast,action=", "function=MPI_Bcast,action=slow",
                             "function=MPI_Bcast,action=die:3", "function=MPI_Bcast,when=later",
                             "function=MPI_Bcast,call=1 ,action=die"}) {
        EXPECT_THROW(parse_faults(text), std::invalid_argument) << text;
    }
}

}  // namespace
}  // namespace railgauge::faults
