// SPDX-License-Identifier: Apache-2.0
#include "watchdog/judgement.hpp"

#include <gtest/gtest.h>

namespace railgauge::board {
namespace {

using std::chrono::seconds;

const Instant now = Instant{} + seconds{5000};
const Limits limits = limits_for(seconds{60});

RankEntry at(Phase phase, int case_id, std::uint64_t sequence, std::uint32_t cpu_ms = 900) {
    RankEntry entry;
    entry.link = Link::connected;
    entry.at = {phase, case_id, sequence};
    entry.cpu_ms = cpu_ms;
    entry.got_on = now - seconds{60};
    entry.heard = now - seconds{1};
    return entry;
}

RankEntry unheard(RankEntry entry) {
    entry.heard = now - seconds{58};
    return entry;
}

RankEntry linked(Link link, RankEntry entry) {
    entry.link = link;
    return entry;
}

constexpr std::uint64_t in_operation(std::uint64_t k) {
    return 2 * k + 1;
}
constexpr std::uint64_t after_operation(std::uint64_t k) {
    return 2 * k + 2;
}

/// One hang and what must be said about it.
struct Hang {
    const char* name;
    std::vector<RankEntry> ranks;
    std::vector<RankState> states;
    std::vector<int> suspects;
    Evidence evidence;
    Progress::Snapshot place;
};

using enum RankState;

const std::vector<Hang> hangs = {
    {"a_rank_that_rests_is_not_behind",
     {at(Phase::timed, 3, Progress::resting), at(Phase::timed, 3, in_operation(41)),
      at(Phase::timed, 3, after_operation(40))},
     {ok, inside, not_entered},
     {2},
     Evidence::not_entered,
     {Phase::timed, 3, in_operation(41)}},
    {"a_rank_that_rests_and_does_not_answer_is_silent",
     {unheard(at(Phase::timed, 3, Progress::resting)), at(Phase::timed, 3, in_operation(41))},
     {silent, inside},
     {0},
     Evidence::no_answer,
     {Phase::timed, 3, in_operation(41)}},
    {"stops_entering",
     {at(Phase::timed, 3, in_operation(41)), at(Phase::timed, 3, after_operation(40)),
      at(Phase::timed, 3, in_operation(41))},
     {inside, not_entered, inside},
     {1},
     Evidence::not_entered,
     {Phase::timed, 3, in_operation(41)}},
    {"stops_before_the_first_operation",
     {at(Phase::timed, 3, in_operation(0)), at(Phase::timed, 3, 0)},
     {inside, not_entered},
     {1},
     Evidence::not_entered,
     {Phase::timed, 3, in_operation(0)}},
    {"never_leaves",
     {at(Phase::timed, 3, in_operation(42)), at(Phase::timed, 3, in_operation(41)),
      at(Phase::timed, 3, after_operation(41))},
     {left, inside, left},
     {1},
     Evidence::never_left,
     {Phase::timed, 3, in_operation(41)}},
    {"never_leaves_the_last_operation",
     {at(Phase::check_after, 3, 0), at(Phase::timed, 3, in_operation(99))},
     {left, inside},
     {1},
     Evidence::never_left,
     {Phase::timed, 3, in_operation(99)}},
    {"is_behind_in_another_phase",
     {at(Phase::timed, 3, 0), at(Phase::warmup, 3, after_operation(4)), at(Phase::timed, 3, 0)},
     {inside, not_entered, inside},
     {1},
     Evidence::not_entered,
     {Phase::timed, 3, 0}},
    {"is_behind_in_another_case",
     {at(Phase::record, 3, 0), at(Phase::prepare, 4, 0), at(Phase::prepare, 4, 0)},
     {not_entered, inside, inside},
     {0},
     Evidence::not_entered,
     {Phase::prepare, 4, 0}},
    {"is_between_cases_while_the_others_have_begun_the_next",
     {at(Phase::between, 3, 0), at(Phase::prepare, 4, 0)},
     {not_entered, inside},
     {0},
     Evidence::not_entered,
     {Phase::prepare, 4, 0}},
    {"hangs_in_init_while_the_others_wait_in_setup",
     {at(Phase::setup, -1, 0), at(Phase::init, -1, 0)},
     {inside, not_entered},
     {1},
     Evidence::not_entered,
     {Phase::setup, -1, 0}},
    {"finalizes_late",
     {at(Phase::finalize, -1, 0), at(Phase::record, 9, 0)},
     {inside, not_entered},
     {1},
     Evidence::not_entered,
     {Phase::finalize, -1, 0}},
    {"sleeps_inside_the_same_operation",
     {at(Phase::timed, 3, 7), at(Phase::timed, 3, 7, 0), at(Phase::timed, 3, 7)},
     {inside, inside, inside},
     {1},
     Evidence::asleep,
     {Phase::timed, 3, 7}},
    {"sleeps_as_one_of_two",
     {at(Phase::timed, 3, 7), at(Phase::timed, 3, 7, 0)},
     {inside, inside},
     {1},
     Evidence::asleep,
     {Phase::timed, 3, 7}},
    {"sleeps_among_ranks_that_share_a_core",
     {at(Phase::timed, 3, 7, 20), at(Phase::timed, 3, 7, 1), at(Phase::timed, 3, 7, 22)},
     {inside, inside, inside},
     {1},
     Evidence::asleep,
     {Phase::timed, 3, 7}},
    {"nothing_is_told_by_sleep_where_waiting_is_sleeping",
     {at(Phase::timed, 3, 7, 1), at(Phase::timed, 3, 7, 0), at(Phase::timed, 3, 7, 2)},
     {inside, inside, inside},
     {},
     Evidence::none,
     {Phase::timed, 3, 7}},
    {"nothing_tells_ranks_apart_that_all_poll",
     {at(Phase::timed, 3, 7, 990), at(Phase::timed, 3, 7, 985)},
     {inside, inside},
     {},
     Evidence::none,
     {Phase::timed, 3, 7}},
    {"does_not_answer",
     {at(Phase::timed, 3, in_operation(41)), unheard(at(Phase::timed, 3, in_operation(12)))},
     {inside, silent},
     {1},
     Evidence::no_answer,
     {Phase::timed, 3, in_operation(41)}},
    {"never_reported",
     {at(Phase::init, -1, 0), RankEntry{}},
     {inside, silent},
     {1},
     Evidence::no_answer,
     {Phase::init, -1, 0}},
    {"died_and_another_does_not_answer",
     {at(Phase::timed, 3, 7), linked(Link::gone, at(Phase::timed, 3, 5)),
      unheard(at(Phase::timed, 3, 7))},
     {inside, gone, silent},
     {1},
     Evidence::died,
     {Phase::timed, 3, 7}},
    {"ended_before_the_others",
     {at(Phase::finalize, -1, 0, 0), linked(Link::left, at(Phase::finalize, -1, 0))},
     {inside, ok},
     {},
     Evidence::none,
     {Phase::finalize, -1, 0}},
    {"nobody_answers",
     {unheard(at(Phase::timed, 3, 7))},
     {silent},
     {0},
     Evidence::no_answer,
     {Phase::launch, -1, 0}},
};

class JudgementTest : public testing::TestWithParam<Hang> {};

TEST_P(JudgementTest, names_the_rank_that_holds_the_job_up) {
    const Hang& hang = GetParam();
    const Judgement judgement = judge(hang.ranks, limits, now);
    EXPECT_EQ(judgement.states, hang.states);
    EXPECT_EQ(judgement.suspects, hang.suspects);
    EXPECT_EQ(judgement.evidence, hang.evidence);
    EXPECT_EQ(judgement.place.phase, hang.place.phase);
    EXPECT_EQ(judgement.place.case_id, hang.place.case_id);
    EXPECT_EQ(judgement.place.sequence, hang.place.sequence);
}

INSTANTIATE_TEST_SUITE_P(, JudgementTest, testing::ValuesIn(hangs),
                         [](const auto& hang) { return std::string(hang.param.name); });

Frame beat(int rank, std::uint64_t pulse) {
    Frame frame;
    frame.rank = rank;
    frame.pulse = pulse;
    return frame;
}

TEST(DeadlineTest, passes_when_no_rank_got_on) {
    RankTable table(now);
    table.note(beat(0, 1), now);
    table.note(beat(1, 1), now);
    EXPECT_FALSE(is_expired(table, limits, now + milliseconds{59'999}));
    EXPECT_TRUE(is_expired(table, limits, now + seconds{60}));
}

TEST(DeadlineTest, never_passes_while_one_slow_rank_gets_on) {
    RankTable table(now);
    table.note(beat(1, 1), now);
    for (int i = 0; i < 100; ++i) {
        const Instant later = now + i * seconds{59};
        table.note(beat(0, static_cast<std::uint64_t>(i)), later);
        EXPECT_FALSE(is_expired(table, limits, later + seconds{59}));
    }
}

TEST(DeadlineTest, passes_when_a_promised_rank_never_comes) {
    RankTable table(now);
    table.expect(2);
    table.note(beat(0, 1), now);
    EXPECT_TRUE(is_expired(table, limits, now + seconds{60}));
}

TEST(DeadlineTest, is_off_at_zero) {
    EXPECT_FALSE(is_expired(RankTable(now), limits_for(milliseconds{0}), now + seconds{100'000}));
}

TEST(DeadlineTest, leaves_time_for_several_reports) {
    for (const int ms : {40, 200, 1000, 10'000, 600'000}) {
        const Limits of = limits_for(milliseconds{ms});
        const milliseconds interval = beat_interval(milliseconds{ms});
        EXPECT_LE(interval, milliseconds{1000}) << ms;
        EXPECT_LE(2 * interval, milliseconds{ms}) << ms;
        EXPECT_GE(of.silence, 3 * interval) << ms;
        EXPECT_LE(of.silence, std::max(milliseconds{ms}, milliseconds{60})) << ms;
    }
}

}  // namespace
}  // namespace railgauge::board
