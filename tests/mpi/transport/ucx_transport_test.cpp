// SPDX-License-Identifier: Apache-2.0
// Channels of the transport ucx between the ranks of a job, over whatever RAILGAUGE_TEST_UCX_TLS
// names: order, places, writes and their notices, reads, many senders, the end.
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "base/error.hpp"
#include "measure/clock.hpp"
#include "transport/payload.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t limit_ns = 60'000'000'000;

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

FabricOptions options() {
    FabricOptions chosen;
    const char* const tls = std::getenv("RAILGAUGE_TEST_UCX_TLS");
    chosen.ucx_tls = tls == nullptr ? "tcp" : tls;
    return chosen;
}

/// Ids of the next `count` completions, in the order in which they were seen.
std::vector<std::uint64_t> wait_for(Channel& channel, std::size_t count) {
    const std::int64_t end_ns = monotonic_now_ns() + limit_ns;
    std::vector<std::uint64_t> ids;
    std::int64_t before_ns = 0;
    while (ids.size() < count) {
        for (const Completion& completion : channel.poll()) {
            ids.push_back(completion.id);
            EXPECT_GE(completion.time_ns, before_ns);
            before_ns = completion.time_ns;
        }
        if (monotonic_now_ns() > end_ns) throw std::runtime_error("a completion never came");
        if (ids.size() < count) sched_yield();
    }
    EXPECT_EQ(ids.size(), count);
    return ids;
}

/// A transport with memory, connected to one peer: ranks 0 and 1, 2 and 3, ...
class UcxTransportTest : public testing::Test {
  protected:
    static constexpr std::size_t size = 2 << 20;

    void SetUp() override { std::memset(memory_->data(), comm_rank(), size); }

    void TearDown() override {
        if (channel_) channel_->close();
        MPI_Barrier(MPI_COMM_WORLD);
        transport_->close();
    }

    void connect(const ChannelParameters& parameters) {
        channel_ = transport_->connect(comm_rank() ^ 1, *memory_, parameters);
    }

    std::byte at(std::size_t offset) const { return memory_->data()[offset]; }

    std::span<std::byte> part(std::size_t offset, std::size_t bytes) const {
        return {memory_->data() + offset, bytes};
    }

    /// An empty message from one side to the other.
    void tell(bool is_teller, std::uint64_t id = 77) {
        channel_->post({.verb = is_teller ? Verb::send : Verb::receive, .id = id});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(id));
    }

    bool sender_ = comm_rank() % 2 == 0;
    std::unique_ptr<MemorySpace> space_ = make_host_memory();
    std::unique_ptr<Transport> transport_ = make_transport("ucx", MPI_COMM_WORLD, options());
    std::unique_ptr<RegisteredMemory> memory_ = transport_->allocate(*space_, size);
    std::unique_ptr<Channel> channel_;
};

TEST_F(UcxTransportTest, messages_of_any_size_arrive_in_order_each_in_its_place) {
    constexpr std::size_t step = 1 << 19;
    constexpr std::size_t sizes[] = {1, 8, 9'000, step};
    connect({4, 4});
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t offset = (sender_ ? i : 3 - i) * step;
        const PayloadKey key{0, i, 1};
        sender_ ? write_payload(key, part(offset, sizes[i]))
                : write_poison(key, part(offset, sizes[i]));
        channel_->post({sender_ ? Verb::send : Verb::receive, offset, sizes[i], i});
    }
    EXPECT_THAT(wait_for(*channel_, 4), testing::UnorderedElementsAre(0, 1, 2, 3));
    for (std::size_t i = 0; i < 4 && !sender_; ++i)
        EXPECT_EQ(count_wrong({0, i, 1}, part((3 - i) * step, sizes[i])), 0u) << i;
}

TEST_F(UcxTransportTest, messages_come_before_or_after_their_receives) {
    connect({1, 1});
    for (const bool is_early : {true, false}) {
        if (sender_ && !is_early) tell(false);
        if (!sender_ && !is_early) {
            channel_->post({Verb::receive, 0, 64, 5});
            channel_->post({.verb = Verb::send, .id = 77});
            EXPECT_THAT(wait_for(*channel_, 2), testing::UnorderedElementsAre(5, 77));
            continue;
        }
        channel_->post({sender_ ? Verb::send : Verb::receive, 0, 64, 5});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(5));
    }
    EXPECT_EQ(at(63), static_cast<std::byte>(comm_rank() & ~1));
}

TEST_F(UcxTransportTest, queues_do_not_wait_for_each_other) {
    connect({2, 2, 33});
    if (sender_) {
        memory_->data()[0] = std::byte{50};
        memory_->data()[1] = std::byte{51};
        channel_->post({Verb::send, 0, 1, 0, 0, 0});
        channel_->post({Verb::send, 1, 1, 1, 0, 32});
        wait_for(*channel_, 2);
    } else {
        channel_->post({Verb::receive, 8, 1, 1, 0, 32});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(1));
        EXPECT_EQ(at(8), std::byte{51});
        channel_->post({Verb::receive, 9, 1, 0, 0, 0});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(0));
        EXPECT_EQ(at(9), std::byte{50});
    }
}

TEST_F(UcxTransportTest, empty_messages_touch_no_memory) {
    connect({1, 1});
    tell(sender_);
    EXPECT_EQ(at(0), static_cast<std::byte>(comm_rank()));
}

/// Each round writes one of several sizes and tells of it in one of two ways; the notice must not
/// overtake a byte of it.
TEST_F(UcxTransportTest, a_notice_comes_after_the_data_of_its_write) {
    constexpr std::size_t sizes[] = {1, 64, 5'000, 70'000, 300'000, size - 8};
    constexpr std::uint64_t rounds = 120;
    connect({2, 2});
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::size_t bytes = sizes[round % std::size(sizes)];
        const PayloadKey key{0, round, 2};
        if (sender_) {
            write_payload(key, part(8, bytes));
            tell(false);  // what the data replace is there
            const bool notifies = round % 2 == 0;
            channel_->post({.verb = Verb::write,
                            .offset = 8,
                            .bytes = bytes,
                            .id = round,
                            .remote_offset = round % 8,
                            .notifies = notifies});
            if (!notifies) channel_->post({.verb = Verb::send, .id = 99'999});
            wait_for(*channel_, notifies ? 1 : 2);
        } else {
            write_poison(key, part(round % 8, bytes));
            tell(true);
            tell(false, round);
            EXPECT_EQ(count_wrong(key, part(round % 8, bytes)), 0u) << "round " << round;
        }
    }
}

TEST_F(UcxTransportTest, each_of_many_notices_in_flight_comes_after_its_own_write) {
    constexpr std::size_t writes = 64;
    constexpr std::size_t bytes = 30'000;
    connect({writes, writes, 2});
    for (std::size_t i = 0; i < writes; ++i) {
        const auto data = part(i * bytes, bytes);
        sender_ ? write_payload({0, i, 3}, data) : write_poison({0, i, 3}, data);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < writes; ++i) {
        const int queue = static_cast<int>(i % 2);
        channel_->post({.verb = sender_ ? Verb::write : Verb::receive,
                        .offset = i * bytes,
                        .bytes = sender_ ? bytes : 0,
                        .id = i,
                        .remote_offset = i * bytes,
                        .queue = queue,
                        .notifies = sender_});
    }
    for (std::size_t i = 0; i < writes;) {
        for (const Completion& completion : channel_->poll()) {
            ++i;
            if (sender_) continue;
            const std::size_t slot = completion.id;
            EXPECT_EQ(count_wrong({0, slot, 3}, part(slot * bytes, bytes)), 0u) << slot;
        }
    }
}

TEST_F(UcxTransportTest, a_read_brings_what_the_peer_has) {
    constexpr std::size_t sizes[] = {1, 8, 9'000, 1 << 20};
    connect({1, 1});
    for (const std::size_t bytes : sizes) {
        const PayloadKey key{1, bytes, 4};
        if (!sender_) {
            write_payload(key, part(size / 2, bytes));
            tell(true);
            tell(false);
            continue;
        }
        write_poison(key, part(3, bytes));
        tell(false);
        channel_->post(
            {.verb = Verb::read, .offset = 3, .bytes = bytes, .id = 6, .remote_offset = size / 2});
        EXPECT_THAT(wait_for(*channel_, 1), ElementsAre(6));
        EXPECT_EQ(count_wrong(key, part(3, bytes)), 0u) << bytes;
        tell(true);
    }
}

TEST_F(UcxTransportTest, no_message_leaves_the_peers_memory) {
    connect({1, 1});
    EXPECT_THROW(channel_->post({.verb = Verb::write, .bytes = 2, .remote_offset = size - 1}),
                 std::logic_error);
    EXPECT_THROW(channel_->post({.verb = Verb::read, .bytes = 2, .remote_offset = ~std::size_t{0}}),
                 std::logic_error);
}

TEST_F(UcxTransportTest, a_channel_is_connected_again_with_other_parameters) {
    connect({1, 1});
    tell(sender_);
    channel_->close();
    channel_.reset();
    connect({8, 8});
    channel_->post({sender_ ? Verb::send : Verb::receive, 0, 64, 1});
    wait_for(*channel_, 1);
    EXPECT_EQ(at(0), static_cast<std::byte>(comm_rank() & ~1));
}

TEST_F(UcxTransportTest, more_than_the_depth_and_closing_too_early_are_mistakes) {
    connect({1, 1});
    channel_->post({Verb::send, 0, 0, 0});
    channel_->post({Verb::receive, 0, 0, 1});
    EXPECT_THROW(channel_->post({Verb::receive, 0, 0, 2}), std::logic_error);
    EXPECT_THROW(channel_->close(), std::logic_error);
    wait_for(*channel_, 2);
}

TEST_F(UcxTransportTest, receives_that_nothing_came_for_are_left_at_the_end) {
    connect({1, 3, 2});
    tell(sender_);
    for (std::uint64_t i = 0; i < 3; ++i)
        channel_->post({.verb = Verb::receive, .bytes = 100, .id = i, .queue = 1});
    EXPECT_TRUE(channel_->poll().empty());
    channel_->close();
    channel_.reset();
    connect({1, 1, 2});  // what comes now is not taken by one of them
    channel_->post({sender_ ? Verb::send : Verb::receive, 512, 64, 1, 0, 1});
    wait_for(*channel_, 1);
    EXPECT_EQ(at(0), static_cast<std::byte>(comm_rank()));
    EXPECT_EQ(at(512), static_cast<std::byte>(comm_rank() & ~1));
}

TEST_F(UcxTransportTest, a_side_that_closes_early_still_serves_the_other) {
    connect({4, 4});
    if (sender_) {
        for (std::uint64_t i = 0; i < 4; ++i)
            channel_->post({.verb = Verb::read, .bytes = size, .id = i});
        wait_for(*channel_, 4);
        EXPECT_EQ(at(size - 1), static_cast<std::byte>(comm_rank() + 1));
    }
}

TEST_F(UcxTransportTest, what_ucx_chose_is_named) {
    connect({1, 1});
    EXPECT_THAT(channel_->path(), HasSubstr("/"));
    std::string family = options().ucx_tls.substr(0, options().ucx_tls.find(','));
    if (family == "shm") family = "memory";  // posix/memory, sysv/memory
    EXPECT_THAT(channel_->path(), HasSubstr(family));
}

TEST_F(UcxTransportTest, a_receiver_polls_many_senders_in_turn) {
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
