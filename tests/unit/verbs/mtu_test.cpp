// SPDX-License-Identifier: Apache-2.0
#include "verbs/mtu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

std::string refusal(ibv_mtu active, std::uint32_t asked) {
    try {
        offered_mtu(active, asked, "mlx5_0:1");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(MtuTest, bytes_and_names_stand_for_each_other) {
    EXPECT_EQ(mtu_bytes(IBV_MTU_256), 256u);
    EXPECT_EQ(mtu_bytes(IBV_MTU_4096), 4096u);
    for (const std::uint32_t bytes : {256u, 512u, 1024u, 2048u, 4096u})
        EXPECT_EQ(mtu_bytes(mtu_of_bytes(bytes).value()), bytes);
    for (const std::uint32_t bytes : {0u, 255u, 1500u, 4097u, 8192u})
        EXPECT_FALSE(mtu_of_bytes(bytes));
}

TEST(OfferedMtuTest, is_the_ports_unless_less_is_asked_for) {
    EXPECT_EQ(offered_mtu(IBV_MTU_2048, {}, ""), IBV_MTU_2048);
    EXPECT_EQ(offered_mtu(IBV_MTU_2048, 2048, ""), IBV_MTU_2048);
    EXPECT_EQ(offered_mtu(IBV_MTU_2048, 512, ""), IBV_MTU_512);
}

TEST(OfferedMtuTest, refuses_more_than_the_port_has_and_what_is_no_size) {
    EXPECT_THAT(refusal(IBV_MTU_1024, 4096),
                testing::HasSubstr("--mtu 4096 cannot be had (the active MTU of mlx5_0:1 is 1024"));
    EXPECT_THAT(refusal(IBV_MTU_4096, 1500), testing::HasSubstr("--mtu 1500 is no path MTU"));
}

}  // namespace
}  // namespace railgauge
