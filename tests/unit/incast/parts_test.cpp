// SPDX-License-Identifier: Apache-2.0
// What each rank does in a case, and where its messages lie.
#include "incast/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t bytes = 100;  // 128 with its padding

IncastCall call_with(Congestion congestion) {
    return {Verb::send, bytes, 3, 4, false, congestion, 8};
}

/// Ranks 1 and 2 send to rank 0; rank 3 asks rank 4, rank 5 is idle.
Cast two_senders(int answerer = 4) {
    return {{{0, {1, 2}}}, Victim{3, answerer}};
}

TEST(PartsTest, a_receiver_has_an_area_for_each_sender_where_that_sender_writes) {
    const IncastCall call = call_with(Congestion::congested);
    const auto receiver = parts_of(0, two_senders(), call);
    ASSERT_THAT(receiver, SizeIs(2));
    for (int i = 0; i < 2; ++i) {
        const Part& part = receiver[static_cast<std::size_t>(i)];
        const auto sender = parts_of(i + 1, two_senders(), call);
        EXPECT_EQ(part.task, Task::receive);
        EXPECT_EQ(part.peer, i + 1);
        ASSERT_THAT(sender, SizeIs(1));
        EXPECT_EQ(sender.front().task, Task::send);
        EXPECT_EQ(sender.front().peer, 0);
        EXPECT_EQ(sender.front().place, i);
        EXPECT_EQ(sender.front().remote_begin, part.area.begin);
        EXPECT_EQ(sender.front().area.begin, 0u);
    }
    EXPECT_EQ(receiver[1].area.begin, 3u * 4 * 128);
    EXPECT_EQ(size_of(receiver), 2u * 3 * 4 * 128);
    EXPECT_EQ(largest_size(two_senders(), call), size_of(receiver));
}

TEST(PartsTest, slots_lie_apart_and_belong_to_queues) {
    const SlotArea area{64, bytes, 3, 4};
    EXPECT_EQ(area.offset(0), 64u);
    EXPECT_EQ(area.offset(1), 64u + 128);
    EXPECT_EQ(area.queue(3), 0);
    EXPECT_EQ(area.queue(4), 1);
    EXPECT_EQ(area.queue(11), 2);
}

TEST(PartsTest, alone_there_is_no_victim_and_isolated_no_incast) {
    const IncastCall alone = call_with(Congestion::alone);
    const IncastCall isolated = call_with(Congestion::isolated);
    EXPECT_THAT(parts_of(3, two_senders(), alone), IsEmpty());
    EXPECT_THAT(parts_of(0, two_senders(), alone), SizeIs(2));
    EXPECT_THAT(parts_of(0, two_senders(), isolated), IsEmpty());
    EXPECT_THAT(parts_of(3, two_senders(), isolated), SizeIs(1));
    EXPECT_THAT(parts_of(5, two_senders(), call_with(Congestion::congested)), IsEmpty());
}

TEST(PartsTest, a_receiver_that_answers_has_a_place_behind_its_senders) {
    const auto receiver = parts_of(0, two_senders(0), call_with(Congestion::congested));
    ASSERT_THAT(receiver, SizeIs(3));
    EXPECT_EQ(receiver.back().task, Task::answer);
    EXPECT_EQ(receiver.back().area.begin, 2u * 3 * 4 * 128);
    EXPECT_EQ(largest_size(two_senders(0), call_with(Congestion::congested)), size_of(receiver));
}

TEST(PartsTest, groups_are_coloured_by_receiver_and_by_asker) {
    const IncastCall congested = call_with(Congestion::congested);
    const auto groups = [&](const Cast& cast, const IncastCall& call) {
        std::vector<int> colours;
        for (int rank = 0; rank < 6; ++rank)
            colours.push_back(group_of(rank, cast, call));
        return colours;
    };
    EXPECT_EQ(groups(two_senders(), congested), (std::vector{0, 0, 0, 3, 3, -1}));
    EXPECT_EQ(groups(two_senders(0), congested), (std::vector{0, 0, 0, 0, -1, -1}));
    EXPECT_EQ(groups(two_senders(), call_with(Congestion::isolated)),
              (std::vector{-1, -1, -1, 3, 3, -1}));
    EXPECT_EQ(groups(two_senders(0), call_with(Congestion::isolated)),
              (std::vector{3, -1, -1, 3, -1, -1}));
    EXPECT_EQ(groups(two_senders(), call_with(Congestion::alone)),
              (std::vector{0, 0, 0, -1, -1, -1}));
}

}  // namespace
}  // namespace railgauge
