// SPDX-License-Identifier: Apache-2.0
#include "watchdog/client.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "watchdog/server.hpp"
#include "watchdog/sockets.hpp"

namespace railgauge::board {
namespace {

Frame frame_of(int rank, FrameType type = FrameType::beat) {
    Frame frame;
    frame.type = type;
    frame.rank = rank;
    frame.host = "host";
    return frame;
}

class ClientTest : public testing::Test {
  protected:
    /// Steps both ends until `done`. Time runs faster than it does, so that retries come soon.
    template <class Condition>
    bool step_until(Condition done) {
        for (int i = 0; i < 2000; ++i) {
            now_ += milliseconds{20};
            client_.step(now_, own_);
            if (server_) server_->step(now_, frame_of(0));
            if (done()) return true;
            std::this_thread::sleep_for(milliseconds{1});
        }
        return false;
    }

    void open_board() { server_.emplace("lo", "job", "host", now_); }

    bool connect() {
        client_.set_target(server_->address());
        return step_until([&] { return client_.is_connected(); });
    }

    Instant now_ = Instant::clock::now();
    std::optional<Server> server_;
    Client client_{milliseconds{100}};
    Frame own_ = frame_of(1);
};

TEST_F(ClientTest, connects_and_reports) {
    open_board();
    ASSERT_TRUE(connect());
    EXPECT_EQ(client_.board().link, Link::connected);
    own_.at = {Phase::timed, 4, 17};
    EXPECT_TRUE(step_until([&] { return server_->table().ranks().at(1).at.sequence == 17; }));
}

TEST_F(ClientTest, leaves_a_program_that_accepts_and_says_nothing_for_a_better_address) {
    open_board();
    const Listener foreign = listen_on("lo");  // its backlog accepts
    BoardAddress stale = server_->address();
    stale.token = make_token();
    stale.port = foreign.port;
    client_.set_target(stale);
    for (int i = 0; i < 20; ++i)
        client_.step(now_ += milliseconds{20}, frame_of(1));
    EXPECT_FALSE(client_.is_connected());
    EXPECT_TRUE(connect());
}

TEST_F(ClientTest, tries_the_next_address_when_one_refuses) {
    open_board();
    BoardAddress target = server_->address();
    target.addresses = {"127.0.0.9", "no address", "127.0.0.1"};
    client_.set_target(target);
    EXPECT_TRUE(step_until([&] { return client_.is_connected(); }));
}

TEST_F(ClientTest, sees_the_board_die) {
    open_board();
    ASSERT_TRUE(connect());
    server_.reset();
    EXPECT_TRUE(step_until([&] { return client_.board().link == Link::gone; }));
}

TEST_F(ClientTest, takes_an_announced_end_of_the_board_for_no_death) {
    open_board();
    ASSERT_TRUE(connect());
    server_->tell_all(frame_of(0, FrameType::goodbye));
    server_.reset();
    EXPECT_TRUE(step_until([&] { return !client_.is_connected(); }));
    EXPECT_EQ(client_.board().link, Link::left);
}

TEST_F(ClientTest, leaves_when_the_board_says_that_the_deadline_has_passed) {
    open_board();
    ASSERT_TRUE(connect());
    EXPECT_FALSE(client_.is_expired());
    server_->tell_all(frame_of(0, FrameType::expired));
    EXPECT_TRUE(step_until([&] { return client_.is_expired(); }));
}

TEST_F(ClientTest, is_no_death_to_a_board_that_wakes_after_it_has_given_up) {
    open_board();
    client_.set_target(server_->address());
    for (int i = 0; i < 200; ++i) {  // the board is stopped: only the kernel answers
        now_ += milliseconds{20};
        client_.step(now_, frame_of(1));
        std::this_thread::sleep_for(milliseconds{1});
    }
    client_.tell(frame_of(1, FrameType::expired));
    client_.close();
    std::vector<int> dead;
    for (int i = 0; i < 50; ++i) {
        for (const int rank : server_->step(now_, frame_of(0)))
            dead.push_back(rank);
        std::this_thread::sleep_for(milliseconds{1});
    }
    EXPECT_TRUE(dead.empty());
    EXPECT_EQ(server_->table().ranks().at(1).link, Link::failed);
}

}  // namespace
}  // namespace railgauge::board
