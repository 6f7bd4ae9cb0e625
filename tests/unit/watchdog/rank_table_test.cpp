// SPDX-License-Identifier: Apache-2.0
#include "watchdog/rank_table.hpp"

#include <gtest/gtest.h>

namespace railgauge::board {
namespace {

using std::chrono::seconds;

const Instant start = Instant{} + seconds{1000};

Frame beat(int rank, std::uint64_t pulse, milliseconds idle = milliseconds{0}) {
    Frame frame;
    frame.rank = rank;
    frame.pulse = pulse;
    frame.idle = idle;
    return frame;
}

Frame frame_of(int rank, FrameType type) {
    Frame frame = beat(rank, 0);
    frame.type = type;
    return frame;
}

TEST(RankTableTest, counts_the_arrival_of_a_rank_as_progress) {
    RankTable table(start);
    table.expect(3);
    EXPECT_EQ(table.last_progress(), start);
    table.note(frame_of(2, FrameType::hello), start + seconds{7});
    EXPECT_EQ(table.last_progress(), start + seconds{7});
    EXPECT_FALSE(table.is_complete());
}

TEST(RankTableTest, counts_a_changed_pulse_only) {
    RankTable table(start);
    table.note(beat(1, 5), start);
    table.note(beat(1, 5, seconds{3}), start + seconds{9});
    EXPECT_EQ(table.last_progress(), start);
    table.note(beat(1, 6, seconds{2}), start + seconds{10});
    EXPECT_EQ(table.last_progress(), start + seconds{8});
}

TEST(RankTableTest, does_not_count_a_rank_that_comes_back) {
    RankTable table(start);
    table.note(frame_of(1, FrameType::hello), start);
    EXPECT_TRUE(table.note_closed(1));
    table.note(frame_of(1, FrameType::hello), start + seconds{20});
    EXPECT_EQ(table.ranks()[1].link, Link::connected);
    EXPECT_EQ(table.last_progress(), start);
}

TEST(RankTableTest, takes_a_closed_connection_for_a_death_unless_it_was_announced) {
    const struct {
        FrameType last;
        bool is_death;
    } rows[] = {{FrameType::beat, true},
                {FrameType::goodbye, false},
                {FrameType::failed, false},
                {FrameType::signalled, false},
                {FrameType::expired, false}};
    for (const auto& row : rows) {
        RankTable table(start);
        table.note(frame_of(1, FrameType::hello), start);
        table.note(frame_of(1, row.last), start);
        EXPECT_EQ(table.note_closed(1), row.is_death) << static_cast<int>(row.last);
    }
}

TEST(RankTableTest, believes_an_announced_end_while_the_rank_still_beats) {
    RankTable table(start);
    table.note(frame_of(1, FrameType::hello), start);
    table.note(frame_of(1, FrameType::failed), start);
    table.note(beat(1, 1), start);
    EXPECT_EQ(table.ranks()[1].link, Link::failed);
}

TEST(RankTableTest, holds_no_time_against_ranks_while_the_board_was_stopped) {
    RankTable table(start);
    table.note(beat(1, 5), start + seconds{2});
    table.forgive(seconds{100});
    EXPECT_EQ(table.last_progress(), start + seconds{102});
    EXPECT_EQ(table.ranks()[1].heard, start + seconds{102});
}

TEST(RankTableTest, is_complete_when_every_expected_rank_has_reported) {
    RankTable table(start);
    table.note(beat(0, 1), start);
    EXPECT_FALSE(table.is_complete()) << "the size is not known";
    table.expect(2);
    EXPECT_FALSE(table.is_complete());
    table.note(frame_of(1, FrameType::hello), start);
    EXPECT_TRUE(table.is_complete());
}

}  // namespace
}  // namespace railgauge::board
