// SPDX-License-Identifier: Apache-2.0
#include "transport/control_channel.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "control_ends.hpp"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using namespace testing;

/// One end is a channel, the other a plain socket.
struct Stranger {
    Stranger() : Stranger(socket_pair()) {}
    explicit Stranger(std::array<FileDescriptor, 2> sockets)
        : channel(std::move(sockets[0]), ControlSide::server, "rank:2"),
          socket(std::move(sockets[1])) {}

    void say(std::string_view bytes) const {
        ASSERT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    std::string hear() const {
        std::string bytes(1 << 16, '\0');
        const ssize_t got = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        return bytes;
    }

    ControlChannel channel;
    FileDescriptor socket;
};

using namespace std::string_view_literals;

TEST(ControlChannelTest, frames_arrive_whole_and_in_order_empty_ones_too) {
    Ends ends;
    for (const std::string_view text : {"one", "", "three"})
        ends.client.send(bytes_of(text), soon());
    for (const char* text : {"one", "", "three"})
        EXPECT_EQ(text_of(ends.server.receive(soon())), text);
}

TEST(ControlChannelTest, a_frame_larger_than_may_be_is_refused_before_it_is_read) {
    Stranger stranger;
    stranger.say("\0\0\0\x11"sv);
    EXPECT_THAT(error_of([&] { stranger.channel.receive(soon(), 16); }),
                HasSubstr("it announces 17 B where 16 are the most"));
}

TEST(ControlChannelTest, who_sends_byte_by_byte_gains_no_time) {
    Stranger stranger;
    std::jthread slow([&](const std::stop_token& end) {
        stranger.say("\0\0\x0f\0"sv);
        while (!end.stop_requested()) {
            stranger.say("x");
            std::this_thread::sleep_for(milliseconds(5));
        }
    });
    EXPECT_THAT(error_of([&] { stranger.channel.receive(deadline_in(milliseconds(200))); }),
                HasSubstr("it does not answer in time"));
}

TEST(ControlChannelTest, a_peer_that_takes_nothing_is_given_up_in_time) {
    Ends ends;
    const std::vector<std::byte> large(most_swapped_bytes);
    EXPECT_THAT(error_of([&] {
                    for (int i = 0; i < 64; ++i)
                        ends.client.send(large, at_once());
                }),
                HasSubstr("the server storage:1 is lost (it does not answer in time)"));
}

TEST(ControlChannelTest, a_peer_that_has_gone_is_named) {
    std::optional<Ends> ends(std::in_place);
    ControlChannel left = std::move(ends->client);
    ends.reset();
    const auto gone = HasSubstr("the server storage:1 is lost (it has closed the connection)");
    EXPECT_THAT(error_of([&] { left.receive(soon()); }), gone);
    EXPECT_THAT(error_of([&] { static_cast<void>(left.has_news()); }), gone);
}

TEST(ControlChannelTest, news_are_seen_without_waiting) {
    Ends ends;
    EXPECT_FALSE(ends.server.has_news());
    ends.client.send(bytes_of("x"), soon());
    EXPECT_TRUE(ends.server.has_news());
    ends.server.receive(soon());
    EXPECT_FALSE(ends.server.has_news());
}

TEST(ControlChannelTest, the_end_of_the_process_ends_every_wait) {
    auto sockets = socket_pair();
    auto stop = socket_pair();
    ControlChannel channel(std::move(sockets[0]), ControlSide::server, "rank:2", stop[0].get());
    ASSERT_EQ(::write(stop[1].get(), "x", 1), 1);
    const auto ends = HasSubstr("this side ends");
    EXPECT_THAT(error_of([&] { channel.receive(soon()); }), ends);
    EXPECT_THAT(error_of([&] { static_cast<void>(channel.has_news()); }), ends);
}

TEST(ControlPeerTest, large_descriptions_are_swapped_both_ways) {
    Ends ends;
    const std::vector<std::byte> large(most_swapped_bytes, std::byte{7});
    std::vector<std::byte> at_server;
    std::thread server([&] { at_server = ControlPeer(ends.server, seconds(60)).swap(large); });
    const std::vector<std::byte> at_client = ControlPeer(ends.client, seconds(60)).swap(large);
    server.join();
    EXPECT_EQ(at_client, large);
    EXPECT_EQ(at_server, large);
}

/// What a sealed client says, as it is on the wire.
class SealedChannelTest : public ::testing::Test {
  protected:
    SealedChannelTest() {
        auto sockets = socket_pair();
        middle_ = std::move(sockets[1]);
        client_.emplace(std::move(sockets[0]), ControlSide::client, "storage:1");
        client_->seal(key_);
        stranger_.channel.seal(key_);
    }

    std::string said_by_client(std::string_view text) {
        client_->send(bytes_of(text), soon());
        std::string bytes(1 << 12, '\0');
        const ssize_t got = ::recv(middle_.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(static_cast<std::size_t>(got));
        return bytes;
    }

    std::string heard_by_server(std::string_view bytes) {
        stranger_.say(bytes);
        return error_of([&] { heard_ = text_of(stranger_.channel.receive(soon())); });
    }

    Digest key_{std::byte{1}};
    FileDescriptor middle_;
    std::optional<ControlChannel> client_;
    Stranger stranger_;
    std::string heard_;
};

constexpr const char* not_its = "a frame is not what that process sent";

TEST_F(SealedChannelTest, what_was_sent_is_taken) {
    EXPECT_EQ(heard_by_server(said_by_client("end")), "no error");
    EXPECT_EQ(heard_, "end");
}

TEST_F(SealedChannelTest, a_frame_changed_on_the_way_is_refused) {
    std::string bytes = said_by_client("end");
    bytes[4] = 'E';
    EXPECT_THAT(heard_by_server(bytes), HasSubstr(not_its));
}

TEST_F(SealedChannelTest, a_frame_sent_again_by_another_is_refused) {
    const std::string bytes = said_by_client("end");
    EXPECT_EQ(heard_by_server(bytes), "no error");
    EXPECT_THAT(heard_by_server(bytes), HasSubstr(not_its));
}

TEST_F(SealedChannelTest, a_frame_behind_one_that_was_dropped_is_refused) {
    said_by_client("first");
    EXPECT_THAT(heard_by_server(said_by_client("second")), HasSubstr(not_its));
}

TEST_F(SealedChannelTest, a_frame_of_ones_own_that_comes_back_is_refused) {
    stranger_.channel.send(bytes_of("end"), soon());
    EXPECT_THAT(heard_by_server(stranger_.hear()), HasSubstr(not_its));
}

}  // namespace
}  // namespace railgauge
