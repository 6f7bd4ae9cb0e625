// SPDX-License-Identifier: Apache-2.0
// Channels of RDMA verbs between the ranks of a job: order, places, notices, limits, many senders.
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/payload.hpp"
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

void meet() {
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Ids of the next `count` completions, in the order in which they were seen.
std::vector<std::uint64_t> wait_for(Channel& channel, std::size_t count) {
    std::vector<std::uint64_t> ids;
    const double deadline_s = MPI_Wtime() + 30;
    while (ids.size() < count && MPI_Wtime() < deadline_s) {
        for (const Completion& completion : channel.poll())
            ids.push_back(completion.id);
    }
    EXPECT_EQ(ids.size(), count);
    return ids;
}

/// A transport with memory, and a channel to one peer: ranks 0 and 1, 2 and 3, ...
class VerbsRanksTest : public testing::TestWithParam<int> {
  protected:
    static constexpr std::size_t slot = 65'536;
    static constexpr std::size_t slots = 80;

    void TearDown() override {
        if (channel_) channel_->close();
        memory_.reset();
        transport_->close();
    }

    void connect(const ChannelParameters& parameters) {
        channel_ = transport_->connect(peer_, *memory_, parameters);
    }

    std::span<std::byte> at(std::size_t which, std::size_t bytes) const {
        return {memory_->data() + which * slot, bytes};
    }

    void write_here(std::uint64_t message, std::size_t bytes) const {
        write_payload({rank_, message, 0}, at(message, bytes));
    }

    std::uint64_t wrong_from(int sender, std::uint64_t message, std::size_t which,
                             std::size_t bytes) const {
        return count_wrong({sender, message, 0}, at(which, bytes));
    }

    int rank_ = comm_rank();
    int peer_ = rank_ ^ 1;
    bool is_sender_ = rank_ % 2 == 0;
    std::unique_ptr<MemorySpace> space_ = make_host_memory();
    std::unique_ptr<Transport> transport_ = make_transport("verbs", MPI_COMM_WORLD, {});
    std::unique_ptr<RegisteredMemory> memory_ = transport_->allocate(*space_, slot* slots);
    std::unique_ptr<Channel> channel_;
};

constexpr std::size_t sizes[] = {1, 100, 221, 4096, 65'536};

TEST_P(VerbsRanksTest, sends_of_every_size_arrive_on_their_queue_each_in_its_place) {
    const int queues = GetParam();
    connect({static_cast<int>(std::size(sizes)), static_cast<int>(std::size(sizes)), queues});
    const std::size_t count = std::size(sizes) * static_cast<std::size_t>(queues);
    for (std::size_t i = 0; !is_sender_ && i < count; ++i) {
        const std::size_t bytes = sizes[i % std::size(sizes)];
        channel_->post({Verb::receive, (slots - 1 - i) * slot, bytes, i, 0,
                        static_cast<int>(i / std::size(sizes))});
    }
    meet();
    for (std::size_t i = 0; is_sender_ && i < count; ++i) {
        const std::size_t bytes = sizes[i % std::size(sizes)];
        write_here(i, bytes);
        channel_->post({Verb::send, i * slot, bytes, i, 0, static_cast<int>(i / std::size(sizes))});
    }
    wait_for(*channel_, count);
    for (std::size_t i = 0; !is_sender_ && i < count; ++i)
        EXPECT_EQ(wrong_from(peer_, i, slots - 1 - i, sizes[i % std::size(sizes)]), 0u) << i;
}

TEST_P(VerbsRanksTest, an_empty_send_tells_that_what_was_written_before_it_is_there) {
    const int queues = GetParam();
    connect({8, 1, queues});
    for (int q = 0; !is_sender_ && q < queues; ++q)
        channel_->post({Verb::receive, 0, 0, static_cast<std::uint64_t>(q), 0, q});
    meet();
    const auto all = static_cast<std::size_t>(queues);
    for (std::size_t i = 0; is_sender_ && i < all * 4; ++i) {
        write_here(i, slot);
        channel_->post({Verb::write, i * slot, slot, i, (i + 1) * slot, static_cast<int>(i % all)});
    }
    for (int q = 0; is_sender_ && q < queues; ++q)
        channel_->post({Verb::send, 0, 0, 99, 0, q});
    if (is_sender_) {
        wait_for(*channel_, all * 5);
    } else {
        wait_for(*channel_, all);
        for (std::size_t i = 0; i < all * 4; ++i)
            EXPECT_EQ(wrong_from(peer_, i, i + 1, slot), 0u) << i;
    }
}

TEST_P(VerbsRanksTest, a_write_that_notifies_is_there_when_its_notice_is) {
    const int queues = GetParam();
    connect({1, 1, queues});
    const auto all = static_cast<std::size_t>(queues);
    for (std::size_t q = 0; !is_sender_ && q < all; ++q)
        channel_->post({Verb::receive, 0, 0, q, 0, static_cast<int>(q)});
    meet();
    for (std::size_t q = 0; is_sender_ && q < all; ++q) {
        write_here(q, slot);
        channel_->post({Verb::write, q * slot, slot, q, q * slot, static_cast<int>(q), true});
    }
    wait_for(*channel_, all);
    for (std::size_t q = 0; !is_sender_ && q < all; ++q)
        EXPECT_EQ(wrong_from(peer_, q, q, slot), 0u) << q;
}

TEST_P(VerbsRanksTest, reads_bring_the_peers_bytes) {
    const int queues = GetParam();
    connect({4, 1, queues});
    for (std::uint64_t i = 0; i < 8; ++i)
        write_here(i, slot);
    meet();
    const auto all = static_cast<std::size_t>(queues) * 4;
    for (std::size_t i = 0; i < all; ++i)
        channel_->post(
            {Verb::read, (40 + i) * slot, slot, i, (i % 8) * slot, static_cast<int>(i) % queues});
    wait_for(*channel_, all);
    for (std::size_t i = 0; i < all; ++i)
        EXPECT_EQ(wrong_from(peer_, i % 8, 40 + i, slot), 0u) << i;
}

INSTANTIATE_TEST_SUITE_P(Queues, VerbsRanksTest, testing::Values(1, 8));

class VerbsChannelTest : public VerbsRanksTest {};

TEST_P(VerbsChannelTest, messages_without_a_signal_are_reported_with_the_next_that_has_one) {
    connect({8, 1});
    for (std::uint64_t id = 0; id < 4; ++id)
        channel_->post({Verb::write, 0, 64, id, slot, 0, false, id == 3});
    EXPECT_THAT(wait_for(*channel_, 4), ElementsAre(0, 1, 2, 3));
    // The ring has gone round once, and there is room again for all.
    for (std::uint64_t id = 4; id < 12; ++id)
        channel_->post({Verb::write, 0, 64, id, slot, 0, false, id == 11});
    EXPECT_THAT(wait_for(*channel_, 8), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
    meet();
    EXPECT_TRUE(channel_->poll().empty());
}

TEST_P(VerbsChannelTest, a_thousand_rounds_of_one_message_each_way) {
    constexpr int rounds = 1000;
    connect({1, 1});
    channel_->post({Verb::receive, slot, 8, 1});
    meet();
    if (is_sender_) channel_->post({Verb::send, 0, 8, 0});
    if (!is_sender_) wait_for(*channel_, 1);
    for (int round = 1; round < rounds; ++round) {
        if (is_sender_) wait_for(*channel_, 2);
        channel_->post({Verb::receive, slot, 8, 1});
        channel_->post({Verb::send, 0, 8, 0});
        if (!is_sender_) wait_for(*channel_, 2);
    }
    if (!is_sender_) channel_->post({Verb::send, 0, 8, 0});
    wait_for(*channel_, is_sender_ ? 2 : 1);
}

TEST_P(VerbsChannelTest, receives_that_nothing_came_for_may_be_left_at_the_end) {
    connect({1, 4});
    for (std::uint64_t id = 0; id < 4; ++id)
        channel_->post({Verb::receive, 0, 64, id});
    channel_->close();
    connect({1, 1, 2});
    channel_->post({Verb::receive, 0, 0, 5, 0, 1});
    meet();
    channel_->post({Verb::send, 0, 0, 6, 0, 1});
    wait_for(*channel_, 2);
}

TEST_P(VerbsChannelTest, more_than_the_depth_of_a_queue_is_a_mistake) {
    connect({1, 2, 2});
    channel_->post({Verb::receive, 0, 0, 0});
    channel_->post({Verb::receive, 0, 0, 1});
    EXPECT_THROW(channel_->post({Verb::receive, 0, 0, 2}), std::logic_error);
    channel_->post({Verb::receive, 0, 0, 3, 0, 1});
    channel_->post({Verb::write, 0, 8, 4, slot});
    EXPECT_THROW(channel_->post({Verb::write, 0, 8, 5, slot}), std::logic_error);
    EXPECT_THROW(channel_->close(), std::logic_error);
    wait_for(*channel_, 1);
}

TEST_P(VerbsChannelTest, there_are_as_many_queues_as_promised) {
    const Capabilities can = transport_->capabilities();
    EXPECT_TRUE(can.one_sided);
    EXPECT_TRUE(can.receives_ahead);
    EXPECT_GE(can.most_bytes, std::size_t{1} << 20);
    connect({1, 1, can.most_queues});
    for (int q = 0; q < can.most_queues; ++q)
        channel_->post({Verb::write, 0, 8, static_cast<std::uint64_t>(q), slot, q});
    wait_for(*channel_, static_cast<std::size_t>(can.most_queues));
}

TEST_P(VerbsChannelTest, memory_of_the_host_is_called_that) {
    EXPECT_EQ(memory_->way(), "host");
}

TEST_P(VerbsChannelTest, a_receiver_polls_many_senders_in_turn) {
    constexpr std::size_t messages = 5;
    if (rank_ != 0) {
        channel_ = transport_->connect(0, *memory_, {messages, 1});
        meet();
        for (std::uint64_t i = 0; i < messages; ++i) {
            write_here(i, slot);
            channel_->post({Verb::send, i * slot, slot, i});
        }
        wait_for(*channel_, messages);
        return;
    }
    std::vector<std::unique_ptr<Channel>> channels;
    for (int peer = 1; peer < comm_size(); ++peer) {
        channels.push_back(transport_->connect(peer, *memory_, {1, messages}));
        for (std::size_t i = 0; i < messages; ++i)
            channels.back()->post(
                {Verb::receive, (static_cast<std::size_t>(peer) * messages + i) * slot, slot, i});
    }
    meet();
    for (std::size_t left = channels.size() * messages; left > 0;) {
        for (const auto& channel : channels)
            left -= channel->poll().size();
    }
    for (int peer = 1; peer < comm_size(); ++peer) {
        for (std::size_t i = 0; i < messages; ++i)
            EXPECT_EQ(wrong_from(peer, i, static_cast<std::size_t>(peer) * messages + i, slot), 0u);
    }
    for (const auto& channel : channels)
        channel->close();
}

INSTANTIATE_TEST_SUITE_P(One, VerbsChannelTest, testing::Values(1));

}  // namespace
}  // namespace railgauge
