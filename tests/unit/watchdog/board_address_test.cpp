// SPDX-License-Identifier: Apache-2.0
#include "watchdog/board_address.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_folder.hpp"

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

class RendezvousTest : public testing::Test {
  protected:
    static BoardAddress address_of(const std::string& job) {
        return {{"127.0.0.1"}, 4000, make_token(), job, "n0"};
    }

    TemporaryFolder folder_;
    std::filesystem::path path_ = folder_.path() / "run.h5.board";
};

TEST_F(RendezvousTest, is_readable_by_its_user_only) {
    Rendezvous rendezvous(path_);
    ASSERT_TRUE(rendezvous.publish(address_of("a")));
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(RendezvousTest, is_found_by_ranks_of_its_job_only) {
    Rendezvous board(path_);
    EXPECT_FALSE(Rendezvous(path_).find("a"));
    const BoardAddress address = address_of("a");
    ASSERT_TRUE(board.publish(address));
    const auto found = Rendezvous(path_).find("a");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->token, address.token);
    EXPECT_FALSE(Rendezvous(path_).find("b"));
}

TEST_F(RendezvousTest, replaces_what_a_killed_job_left) {
    ASSERT_TRUE(Rendezvous(path_).publish(address_of("killed")));
    ASSERT_TRUE(Rendezvous(path_).publish(address_of("now")));
    EXPECT_TRUE(Rendezvous(path_).find("now"));
}

TEST_F(RendezvousTest, withdraws_its_own_file_and_no_other) {
    Rendezvous first(path_);
    Rendezvous second(path_);
    ASSERT_TRUE(first.publish(address_of("first")));
    ASSERT_TRUE(second.publish(address_of("second")));
    first.withdraw();
    EXPECT_TRUE(Rendezvous(path_).find("second"));
    second.withdraw();
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RendezvousTest, does_without_a_folder_that_is_not_there) {
    Rendezvous rendezvous(folder_.path() / "missing" / "run.h5.board");
    EXPECT_FALSE(rendezvous.publish(address_of("a")));
    EXPECT_FALSE(rendezvous.find("a"));
}

TEST_F(RendezvousTest, is_not_held_up_by_what_is_no_file) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_FALSE(Rendezvous(path_).find("a"));
}

TEST_F(RendezvousTest, ignores_garbage) {
    std::ofstream(path_) << std::string(1 << 20, 'x');
    EXPECT_FALSE(Rendezvous(path_).find(""));
    std::ofstream(path_) << "{\"port\":";
    EXPECT_FALSE(Rendezvous(path_).find(""));
}

}  // namespace
}  // namespace railgauge::board
