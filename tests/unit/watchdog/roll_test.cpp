// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/roll.hpp"

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

TEST(RollTest, counts_the_arrival_of_a_rank_as_progress) {
    Roll roll(start);
    roll.expect(3);
    EXPECT_EQ(roll.last_progress(), start);
    roll.note(frame_of(2, FrameType::hello), start + seconds{7});
    EXPECT_EQ(roll.last_progress(), start + seconds{7});
    EXPECT_FALSE(roll.is_complete());
}

TEST(RollTest, counts_a_changed_pulse_only) {
    Roll roll(start);
    roll.note(beat(1, 5), start);
    roll.note(beat(1, 5, seconds{3}), start + seconds{9});
    EXPECT_EQ(roll.last_progress(), start);
    roll.note(beat(1, 6, seconds{2}), start + seconds{10});
    EXPECT_EQ(roll.last_progress(), start + seconds{8});
}

TEST(RollTest, does_not_count_a_rank_that_comes_back) {
    Roll roll(start);
    roll.note(frame_of(1, FrameType::hello), start);
    EXPECT_TRUE(roll.note_closed(1));
    roll.note(frame_of(1, FrameType::hello), start + seconds{20});
    EXPECT_EQ(roll.ranks()[1].link, Link::connected);
    EXPECT_EQ(roll.last_progress(), start);
}

TEST(RollTest, takes_a_closed_connection_for_a_death_unless_it_was_announced) {
    const struct {
        FrameType last;
        bool is_death;
    } rows[] = {{FrameType::beat, true},
                {FrameType::goodbye, false},
                {FrameType::failed, false},
                {FrameType::signalled, false},
                {FrameType::expired, false}};
    for (const auto& row : rows) {
        Roll roll(start);
        roll.note(frame_of(1, FrameType::hello), start);
        roll.note(frame_of(1, row.last), start);
        EXPECT_EQ(roll.note_closed(1), row.is_death) << static_cast<int>(row.last);
    }
}

TEST(RollTest, believes_an_announced_end_while_the_rank_still_beats) {
    Roll roll(start);
    roll.note(frame_of(1, FrameType::hello), start);
    roll.note(frame_of(1, FrameType::failed), start);
    roll.note(beat(1, 1), start);
    EXPECT_EQ(roll.ranks()[1].link, Link::failed);
}

TEST(RollTest, holds_no_time_against_ranks_while_the_board_was_stopped) {
    Roll roll(start);
    roll.note(beat(1, 5), start + seconds{2});
    roll.forgive(seconds{100});
    EXPECT_EQ(roll.last_progress(), start + seconds{102});
    EXPECT_EQ(roll.ranks()[1].heard, start + seconds{102});
}

TEST(RollTest, is_complete_when_every_expected_rank_has_reported) {
    Roll roll(start);
    roll.note(beat(0, 1), start);
    EXPECT_FALSE(roll.is_complete()) << "the size is not known";
    roll.expect(2);
    EXPECT_FALSE(roll.is_complete());
    roll.note(frame_of(1, FrameType::hello), start);
    EXPECT_TRUE(roll.is_complete());
}

}  // namespace
}  // namespace railgauge::board
