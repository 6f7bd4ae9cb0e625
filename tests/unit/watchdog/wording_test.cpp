// SPDX-License-Identifier: Apache-2.0
#include "watchdog/wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge::board {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Plan plan{"5eed", {{"barrier/mpi", "barrier", 0}, {"all_reduce/mpi/8", "all_reduce", 8}}};

std::vector<RankEntry> ranks_on(const std::vector<std::string>& hosts) {
    std::vector<RankEntry> entries;
    for (const std::string& host : hosts) {
        RankEntry entry;
        entry.rank = static_cast<int>(entries.size());
        entry.link = Link::connected;
        entry.host = host;
        entry.at = {Phase::timed, 1, 83};
        entries.push_back(entry);
    }
    return entries;
}

Judgement judged(Evidence evidence, std::vector<int> suspects) {
    Judgement judgement;
    judgement.evidence = evidence;
    judgement.suspects = std::move(suspects);
    judgement.place = {Phase::timed, 1, 83};
    return judgement;
}

TEST(RankListTest, joins_neighbours) {
    EXPECT_EQ(format_ranks({2}), "rank 2");
    EXPECT_EQ(format_ranks({3, 7, 8, 9, 12}), "ranks 3, 7-9, 12");
}

TEST(RankListTest, shows_the_beginning_of_a_long_list) {
    std::vector<int> even;
    for (int rank = 0; rank < 96; rank += 2)
        even.push_back(rank);
    EXPECT_EQ(format_ranks(even), "ranks 0, 2, 4, 6, 8, 10, 12, 14, ... (48 in all)");
}

TEST(RankListTest, names_each_host_once) {
    const auto entries = ranks_on({"n0", "n0", "노드", "노드"});
    EXPECT_EQ(format_ranks_on_hosts({1, 2, 3}, entries), "ranks 1-3 on n0, 노드");
}

TEST(WordingTest, says_case_operation_size_phase_and_iteration) {
    EXPECT_EQ(describe_place({Phase::timed, 1, 83}, plan),
              "case all_reduce/mpi/8 (operation all_reduce, 8 bytes, phase timed, iteration 41)");
    EXPECT_EQ(
        describe_place({Phase::timed, 1, 84}, plan),
        "case all_reduce/mpi/8 (operation all_reduce, 8 bytes, phase timed, after iteration 41)");
    EXPECT_EQ(describe_place({Phase::init, -1, 0}, plan), "phase init");
    EXPECT_EQ(describe_place({Phase::between, 0, 0}, plan),
              "phase between, after case barrier/mpi");
    EXPECT_EQ(describe_place({Phase::record, 7, 0}, plan), "case 7 (phase record)")
        << "a number from the network that the plan does not have";
}

TEST(WordingTest, tells_an_expiry_in_one_line_with_the_evidence) {
    const auto ranks = ranks_on({"n0", "n1", "n2"});
    const struct {
        Evidence evidence;
        const char* text;
    } rows[] = {{Evidence::not_entered, "rank 1 on n1 had not entered it"},
                {Evidence::never_left, "rank 1 on n1 had not left it, others had"},
                {Evidence::no_answer, "rank 1 on n1 did not answer"},
                {Evidence::died, "rank 1 on n1 died"},
                {Evidence::asleep, "rank 1 on n1 slept while others kept polling (a hint"}};
    for (const auto& row : rows) {
        const std::string line =
            describe_expiry(judged(row.evidence, {1}), ranks, plan, milliseconds{60'200});
        EXPECT_THAT(line,
                    StartsWith("no rank got on for 60.2 s in case all_reduce/mpi/8 "
                               "(operation all_reduce, 8 bytes, phase timed, iteration 41): "));
        EXPECT_THAT(line, HasSubstr(row.text));
        EXPECT_THAT(line, HasSubstr("--resume"));
        EXPECT_THAT(line, Not(HasSubstr("\n")));
    }
}

TEST(WordingTest, says_where_a_rank_is_that_is_in_another_phase) {
    auto ranks = ranks_on({"n0", "n1"});
    ranks[1].at = {Phase::warmup, 1, 2};
    EXPECT_THAT(describe_expiry(judged(Evidence::not_entered, {1}), ranks, plan, {}),
                HasSubstr("rank 1 on n1 had not entered it, last seen in case all_reduce/mpi/8 "
                          "(operation all_reduce, 8 bytes, phase warmup, after iteration 0)"));
}

TEST(WordingTest, tells_ranks_that_never_reported_from_those_that_stopped) {
    auto ranks = ranks_on({"n0", "n1", ""});
    ranks[2].link = Link::missing;
    EXPECT_THAT(describe_expiry(judged(Evidence::no_answer, {1, 2}), ranks, plan, {}),
                HasSubstr("rank 1 on n1 did not answer, rank 2 never reported"));
}

TEST(WordingTest, blames_nobody_without_evidence) {
    EXPECT_THAT(describe_expiry(judged(Evidence::none, {}), ranks_on({"n0", "n1"}), plan, {}),
                HasSubstr("all ranks were inside and nothing tells them apart"));
}

TEST(WordingTest, promises_no_resume_before_anything_was_planned) {
    Judgement judgement = judged(Evidence::none, {});
    judgement.place = {Phase::init, -1, 0};
    const std::string line = describe_expiry(judgement, ranks_on({"n0"}), Plan{}, {});
    EXPECT_THAT(line, HasSubstr("phase init"));
    EXPECT_THAT(line, HasSubstr("nothing has been measured yet"));
    EXPECT_THAT(line, Not(HasSubstr("--resume")));
}

TEST(WordingTest, places_a_death_where_the_job_has_come_to) {
    auto ranks = ranks_on({"n0", "n1"});
    ranks[1].at = {Phase::setup, -1, 0};
    EXPECT_THAT(describe_deaths({1}, ranks, {Phase::timed, 1, 83}, plan),
                StartsWith("rank 1 on n1 died in case all_reduce/mpi/8 "));
    ranks[1].at = {Phase::record, 1, 0};
    EXPECT_THAT(describe_deaths({1}, ranks, {Phase::timed, 1, 83}, plan),
                HasSubstr("phase record"));
}

TEST(WordingTest, says_what_a_signal_interrupts) {
    EXPECT_EQ(
        describe_interruption("SIGTERM", {Phase::record, 0, 0}, {}, plan),
        "interrupted by SIGTERM in case barrier/mpi (operation barrier, 0 bytes, phase record); "
        "finished cases are kept, --resume goes on");
    EXPECT_THAT(describe_interruption("SIGTERM", {Phase::init, -1, 0}, {2}, Plan{}),
                HasSubstr("before rank 2 had reported"));
}

}  // namespace
}  // namespace railgauge::board
