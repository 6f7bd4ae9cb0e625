// SPDX-License-Identifier: Apache-2.0
// Channels on real MPI: order, places, limits, many senders.
#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;

int comm_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int comm_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/// Ids of the next `count` completions, in the order in which they were seen.
std::vector<std::uint64_t> wait_for(Channel& channel, std::size_t count) {
    std::vector<std::uint64_t> ids;
    std::int64_t before_ns = 0;
    while (ids.size() < count) {
        for (const Completion& completion : channel.poll()) {
            ids.push_back(completion.id);
            EXPECT_GE(completion.time_ns, before_ns);
            before_ns = completion.time_ns;
        }
    }
    EXPECT_EQ(ids.size(), count);
    return ids;
}

/// A transport with memory, connected to one peer: ranks 0 and 1, 2 and 3, ...
class MpiTransportTest : public testing::Test {
  protected:
    static constexpr std::size_t size = 4096;

    void SetUp() override { std::memset(memory_->data(), comm_rank(), size); }

    void TearDown() override {
        if (channel_) channel_->close();
        transport_->close();
    }

    void connect(const ChannelParameters& parameters) {
        channel_ = transport_->connect(comm_rank() ^ 1, *memory_, parameters);
    }

    std::byte at(std::size_t offset) const { return memory_->data()[offset]; }

    bool sender_ = comm_rank() % 2 == 0;
    std::unique_ptr<MemorySpace> space_ = make_host_memory();
    std::unique_ptr<Transport> transport_ = make_transport("mpi", MPI_COMM_WORLD, {});
    std::unique_ptr<RegisteredMemory> memory_ = transport_->allocate(*space_, size);
    std::unique_ptr<Channel> channel_;
};

TEST_F(MpiTransportTest, messages_arrive_in_order_each_in_its_place) {
    connect({4, 4});
    if (sender_) {
        for (std::size_t i = 0; i < 4; ++i) {
            memory_->data()[i * 16] = static_cast<std::byte>(100 + i);
            channel_->post({Verb::send, i * 16, 16, i});
        }
        wait_for(*channel_, 4);
    } else {
        for (std::size_t i = 0; i < 4; ++i)
            channel_->post({Verb::receive, 1024 - i * 64, 16, 7 + i});
        EXPECT_THAT(wait_for(*channel_, 4), testing::UnorderedElementsAre(7, 8, 9, 10));
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(at(1024 - i * 64), static_cast<std::byte>(100 + i));
    }
}

TEST_F(MpiTransportTest, queues_do_not_wait_for_each_other) {
    connect({2, 2, 2});
    if (sender_) {
        memory_->data()[0] = std::byte{50};
        memory_->data()[1] = std::byte{51};
        channel_->post({Verb::send, 0, 1, 0, 0, 0});
        channel_->post({Verb::send, 1, 1, 1, 0, 1});
        wait_for(*channel_, 2);
    } else {
        channel_->post({Verb::receive, 8, 1, 1, 0, 1});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(1));
        EXPECT_EQ(at(8), std::byte{51});
        channel_->post({Verb::receive, 9, 1, 0, 0, 0});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(0));
        EXPECT_EQ(at(9), std::byte{50});
    }
}

TEST_F(MpiTransportTest, empty_messages_touch_no_memory) {
    connect({1, 1});
    channel_->post({sender_ ? Verb::send : Verb::receive, 0, 0, 3});
    EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(3));
    EXPECT_EQ(at(0), static_cast<std::byte>(comm_rank()));
}

TEST_F(MpiTransportTest, polling_an_idle_channel_finds_nothing) {
    connect({1, 1});
    EXPECT_TRUE(channel_->poll().empty());
}

TEST_F(MpiTransportTest, a_channel_is_connected_again_with_other_parameters) {
    connect({1, 1});
    channel_->close();
    connect({8, 8});
    channel_->post({sender_ ? Verb::send : Verb::receive, 0, 64, 1});
    wait_for(*channel_, 1);
    EXPECT_EQ(at(0), static_cast<std::byte>(comm_rank() & ~1));
}

TEST_F(MpiTransportTest, more_than_the_depth_and_closing_too_early_are_mistakes) {
    connect({1, 1});
    channel_->post({Verb::send, 0, 0, 0});
    channel_->post({Verb::receive, 0, 0, 1});
    EXPECT_THROW(channel_->post({Verb::receive, 0, 0, 2}), std::logic_error);
    EXPECT_THROW(channel_->close(), std::logic_error);
    wait_for(*channel_, 2);
}

TEST_F(MpiTransportTest, one_sided_messages_are_refused) {
    EXPECT_FALSE(transport_->capabilities().one_sided);
}

TEST_F(MpiTransportTest, a_receiver_polls_many_senders_in_turn) {
    constexpr std::size_t messages = 5;
    if (comm_rank() != 0) {
        channel_ = transport_->connect(0, *memory_, {messages, 1});
        for (std::uint64_t i = 0; i < messages; ++i)
            channel_->post({Verb::send, 0, 8, i});
        wait_for(*channel_, messages);
        return;
    }
    std::vector<std::unique_ptr<Channel>> channels;
    for (int peer = 1; peer < comm_size(); ++peer) {
        channels.push_back(transport_->connect(peer, *memory_, {1, messages}));
        for (std::uint64_t i = 0; i < messages; ++i)
            channels.back()->post(
                {Verb::receive, static_cast<std::size_t>(peer) * 64 + i * 8, 8, i});
    }
    std::vector<std::size_t> finished(channels.size(), 0);
    for (std::size_t left = channels.size() * messages; left > 0;) {
        for (std::size_t i = 0; i < channels.size(); ++i) {
            const std::size_t now = channels[i]->poll().size();
            finished[i] += now;
            left -= now;
        }
    }
    EXPECT_THAT(finished, testing::Each(messages));
    for (int peer = 1; peer < comm_size(); ++peer)
        EXPECT_EQ(at(static_cast<std::size_t>(peer) * 64 + 32), static_cast<std::byte>(peer));
    for (const auto& open : channels)
        open->close();
}

}  // namespace
}  // namespace railgauge
