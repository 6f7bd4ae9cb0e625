// SPDX-License-Identifier: Apache-2.0
#include "verbs/failed_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string text_of(ibv_wc_status status) {
    const FailedWork work{"write", 3, 4711, status, 0x81};
    return describe_failure(work, "rank 3 on n5", "mlx5_0:1", {}).what();
}

TEST(DescribeFailureTest, names_the_message_both_ends_and_the_status) {
    EXPECT_THAT(text_of(IBV_WC_GENERAL_ERR),
                AllOf(HasSubstr("a write between mlx5_0:1 and rank 3 on n5 failed"),
                      HasSubstr("queue pair 4711 (queue 3)"), HasSubstr("vendor code 0x81")));
}

TEST(DescribeFailureTest, silence_is_told_from_a_missing_receive_and_from_a_wrong_address) {
    EXPECT_THAT(text_of(IBV_WC_RETRY_EXC_ERR),
                AllOf(HasSubstr("no answer after 6 retries of 67.1 ms"), HasSubstr("is alive")));
    EXPECT_THAT(text_of(IBV_WC_RNR_RETRY_EXC_ERR), HasSubstr("the peer posted no receive"));
    EXPECT_THAT(text_of(IBV_WC_REM_ACCESS_ERR), HasSubstr("outside the peer's registered memory"));
    EXPECT_THAT(text_of(IBV_WC_WR_FLUSH_ERR), HasSubstr("was broken before"));
}

}  // namespace
}  // namespace railgauge
