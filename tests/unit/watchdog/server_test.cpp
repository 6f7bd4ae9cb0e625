// SPDX-License-Identifier: Apache-2.0
#include "watchdog/server.hpp"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace railgauge::board {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// A board on loopback, and peers that do as they please. Time is given, so nothing waits for it.
class ServerTest : public testing::Test {
  protected:
    Channel connect() { return Channel(begin_connection("127.0.0.1", server_.address().port)); }

    Frame frame_of(int rank, FrameType type) const {
        Frame frame;
        frame.type = type;
        frame.rank = rank;
        frame.token = server_.address().token;
        frame.host = "peer";
        return frame;
    }

    /// Steps the board until `done`: what a peer has sent is there after a moment.
    template <class Condition>
    bool step_until(Condition done) {
        for (int i = 0; i < 2000; ++i) {
            for (const int rank : server_.step(now_, own_))
                dead_.push_back(rank);
            if (done()) return true;
            std::this_thread::sleep_for(milliseconds{1});
        }
        return false;
    }

    Link link(std::size_t rank) const { return server_.table().ranks().at(rank).link; }

    /// Whether the board has closed the connection.
    bool is_dropped(Channel& channel) {
        return step_until([&] {
            while (channel.receive()) {
            }
            return !channel.is_open();
        });
    }

    Channel join(int rank) {
        Channel channel = connect();
        EXPECT_TRUE(step_until(
            [&] { return connection_state(channel.descriptor()) == ConnectionState::made; }));
        channel.send(frame_of(rank, FrameType::hello));
        EXPECT_TRUE(step_until([&] { return channel.receive().has_value(); }));
        return channel;
    }

    Instant now_ = Instant::clock::now();
    Server server_{"lo", "job", "host", now_};
    Frame own_ = [] {
        Frame frame;
        frame.rank = 0;
        return frame;
    }();
    std::vector<int> dead_;
};

TEST_F(ServerTest, admits_and_answers_a_rank_that_knows_the_token) {
    server_.table().expect(2);
    const Channel peer = join(1);
    EXPECT_EQ(link(1), Link::connected);
    EXPECT_EQ(server_.table().ranks()[1].host, "peer");
    EXPECT_TRUE(server_.table().is_complete());
}

TEST_F(ServerTest, drops_a_wrong_token) {
    server_.table().expect(2);
    Channel peer = connect();
    Frame hello = frame_of(1, FrameType::hello);
    hello.token[15] ^= 1U;
    peer.send(hello);
    EXPECT_TRUE(is_dropped(peer));
    EXPECT_EQ(link(1), Link::missing);
}

TEST_F(ServerTest, drops_ranks_that_the_job_does_not_have) {
    server_.table().expect(2);
    for (const int rank : {0, 2, most_ranks - 1}) {
        Channel peer = connect();
        peer.send(frame_of(rank, FrameType::hello));
        EXPECT_TRUE(is_dropped(peer)) << rank;
    }
}

TEST_F(ServerTest, drops_who_does_not_begin_with_a_hello) {
    Channel peer = connect();
    peer.send(frame_of(1, FrameType::beat));
    EXPECT_TRUE(is_dropped(peer));
}

TEST_F(ServerTest, drops_garbage_at_once_and_goes_on) {
    std::mt19937 random(11);
    for (int i = 0; i < 50; ++i) {
        const FileDescriptor foreign = begin_connection("127.0.0.1", server_.address().port);
        std::string bytes(1 + random() % 1000, '\0');
        for (char& c : bytes)
            c = static_cast<char>(random());
        ::send(foreign.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    server_.step(now_, own_);
    const Channel peer = join(1);
    EXPECT_EQ(link(1), Link::connected);
    EXPECT_THAT(dead_, IsEmpty());
}

TEST_F(ServerTest, drops_newcomers_that_say_nothing_when_their_time_is_over) {
    Channel mute = connect();
    ASSERT_TRUE(
        step_until([&] { return connection_state(mute.descriptor()) == ConnectionState::made; }));
    server_.step(now_, own_);
    now_ += seconds{4};
    EXPECT_TRUE(is_dropped(mute));
}

TEST_F(ServerTest, keeps_few_newcomers_however_many_come) {
    std::vector<FileDescriptor> crowd;
    for (int i = 0; i < 600; ++i) {
        crowd.push_back(begin_connection("127.0.0.1", server_.address().port));
        server_.step(now_, own_);
    }
    now_ += seconds{4};
    const Channel peer = join(1);
    EXPECT_EQ(link(1), Link::connected);
}

TEST_F(ServerTest, reports_a_rank_that_closes_without_a_word_as_dead) {
    Channel first = join(1);
    Channel second = join(2);
    first.close();
    second.send(frame_of(2, FrameType::goodbye));
    second.close();
    EXPECT_TRUE(step_until([&] { return link(1) == Link::gone && link(2) == Link::left; }));
    EXPECT_THAT(dead_, ElementsAre(1));
}

TEST_F(ServerTest, hears_the_last_word_of_a_process_that_ends_unread) {
    Channel peer = join(1);
    server_.tell_all(own_);  // unread data makes the peer's end a reset
    peer.send(frame_of(1, FrameType::signalled));
    peer.close();
    EXPECT_TRUE(step_until([&] { return link(1) == Link::ended; }));
    EXPECT_THAT(dead_, IsEmpty());
}

TEST_F(ServerTest, takes_garbage_of_a_rank_for_its_death) {
    const Channel peer = join(1);
    const FrameBytes garbage{};
    ::send(peer.descriptor(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    EXPECT_TRUE(step_until([&] { return link(1) == Link::gone; }));
}

TEST_F(ServerTest, refuses_a_second_process_of_a_rank_that_reports) {
    const Channel first = join(1);
    Channel second = connect();
    second.send(frame_of(1, FrameType::hello));
    EXPECT_TRUE(is_dropped(second));
    EXPECT_EQ(link(1), Link::connected);
}

TEST_F(ServerTest, takes_a_rank_back_whose_old_connection_broke_unseen) {
    const Channel broken = join(1);
    now_ += seconds{4};
    const Channel again = join(1);
    EXPECT_EQ(link(1), Link::connected);
    EXPECT_THAT(dead_, IsEmpty());
}

TEST_F(ServerTest, is_not_held_up_by_a_rank_that_does_not_read) {
    const Channel mute = join(1);
    const int small = 4096;
    ::setsockopt(mute.descriptor(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    for (int i = 0; i < 40'000; ++i)
        server_.tell_all(own_);  // more than the sender's end buffers
    const Channel other = join(2);
    EXPECT_EQ(link(1), Link::connected);
}

}  // namespace
}  // namespace railgauge::board
