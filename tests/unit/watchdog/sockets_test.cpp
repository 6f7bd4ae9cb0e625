// SPDX-License-Identifier: Apache-2.0
#include "watchdog/sockets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge::board {
namespace {

using testing::ElementsAre;

TEST(ListenerTest, listens_on_the_interface_asked_for) {
    const Listener listener = listen_on("lo");
    EXPECT_THAT(listener.addresses, ElementsAre("127.0.0.1"));
    EXPECT_NE(listener.port, 0);
}

TEST(ListenerTest, says_which_interface_does_not_exist) {
    try {
        listen_on("없는0");
        FAIL() << "no error";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("'없는0'"));
        EXPECT_THAT(error.what(), testing::HasSubstr("--control-interface"));
    }
}

TEST(ListenerTest, puts_loopback_last) {
    const auto addresses = interface_addresses("");
    ASSERT_FALSE(addresses.empty());
    const auto lo = interface_addresses("lo");
    ASSERT_FALSE(lo.empty());
    EXPECT_EQ(addresses.back(), lo.back());
}

}  // namespace
}  // namespace railgauge::board
