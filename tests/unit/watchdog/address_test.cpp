// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/board/interface_addresses.hpp"
#include "mpi/board/listener.hpp"

namespace railgauge::board {
namespace {

using testing::ElementsAre;

BoardAddress some_address() {
    return {{"192.0.2.7", "fe80::1%eth0", "127.0.0.1"}, 40123, make_token(), "pmix:7", "노드"};
}

TEST(BoardAddressTest, comes_back_from_its_line) {
    const BoardAddress address = some_address();
    const std::string line = to_text(address);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto got = parse_board_address(line);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->addresses, address.addresses);
    EXPECT_EQ(got->port, address.port);
    EXPECT_EQ(got->token, address.token);
    EXPECT_EQ(got->job, address.job);
    EXPECT_EQ(got->host, address.host);
}

TEST(BoardAddressTest, refuses_what_is_no_address) {
    const std::string good = to_text(some_address());
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_FALSE(parse_board_address(""));
    EXPECT_FALSE(parse_board_address("{}"));
    EXPECT_FALSE(parse_board_address("[[[[[[["));
    EXPECT_FALSE(parse_board_address(good.substr(0, good.size() / 2)));
    EXPECT_FALSE(parse_board_address(with("40123", "0")));
    EXPECT_FALSE(parse_board_address(with("40123", "65536")));
    EXPECT_FALSE(parse_board_address(with("40123", "\"40123\"")));
    EXPECT_FALSE(parse_board_address(with("\"token\":\"", "\"token\":\"zz")));
    EXPECT_FALSE(parse_board_address(good + std::string(5000, ' ')));
}

TEST(BoardAddressTest, gives_loopback_to_ranks_of_the_same_host_only) {
    const BoardAddress address = some_address();
    EXPECT_THAT(addresses_for(address, "other"), ElementsAre("192.0.2.7", "fe80::1%eth0"));
    EXPECT_THAT(addresses_for(address, "노드"),
                ElementsAre("192.0.2.7", "fe80::1%eth0", "127.0.0.1"));
}

TEST(BoardAddressTest, makes_a_new_token_every_time) {
    EXPECT_NE(make_token(), make_token());
}

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
