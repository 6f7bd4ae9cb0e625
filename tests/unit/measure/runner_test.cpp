// SPDX-License-Identifier: Apache-2.0
#include "measure/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.hpp"

namespace railgauge {
namespace {

using testing::FakeClock;
using testing::FakeTeam;
using testing::FakeWindowWorkload;
using testing::FakeWorkload;

class RunnerTest : public ::testing::Test {
  protected:
    void SetUp() override {
        FakeClock::time_ns = 1'000'000;
        FakeClock::step_per_read_ns = 0;
    }

    CaseResult run(StopRule& rule, RunnerOptions options = {}) {
        return Runner(team_, progress_, FakeClock::clock(), options)
            .run(case_, workload_, rule, samples_);
    }

    Case case_{"case", {}};
    FakeTeam team_;
    Progress progress_;
    FakeWorkload workload_;
    SampleBuffer samples_;
};

TEST_F(RunnerTest, takes_exactly_the_samples_the_rule_wants) {
    const auto rule = make_fixed_rule(10);
    const CaseResult result = run(*rule, {.warmup = 3});
    EXPECT_EQ(result.status, CaseStatus::done);
    EXPECT_EQ(samples_.rows(), 10u);
    EXPECT_EQ(workload_.launched, 13u);
    EXPECT_THAT(result.blocks, ::testing::ElementsAre(0));
}

TEST_F(RunnerTest, times_one_operation_from_entry_to_completion) {
    const auto rule = make_fixed_rule(3);
    run(*rule, {.warmup = 0});
    EXPECT_THAT(samples_.elapsed_ns(), ::testing::Each(500));
    EXPECT_EQ(samples_.start_ns()[1] - samples_.start_ns()[0], 500u);
}

TEST_F(RunnerTest, needs_no_agreement_when_the_number_is_fixed) {
    const auto rule = make_fixed_rule(10);
    run(*rule);
    EXPECT_EQ(team_.agreements, 0);
}

TEST_F(RunnerTest, times_a_batch_as_one_sample) {
    const auto rule = make_fixed_rule(4);
    const CaseResult result = run(*rule, {.warmup = 0, .ops_per_sample = 25});
    EXPECT_EQ(workload_.launched, 100u);
    EXPECT_EQ(workload_.completed, 4u);
    EXPECT_THAT(samples_.elapsed_ns(), ::testing::Each(25 * 500));
    EXPECT_EQ(result.ops_per_sample, 25u);
    EXPECT_EQ(samples_.columns()[2].constant, 25 * 1000);
}

TEST_F(RunnerTest, checks_with_different_rounds_before_and_after) {
    const auto rule = make_fixed_rule(1);
    const CaseResult result = run(*rule);
    EXPECT_THAT(workload_.rounds, ::testing::ElementsAre(0, 1));
    EXPECT_EQ(result.checked_elements, 200u);
}

TEST_F(RunnerTest, calls_a_case_wrong_when_any_rank_saw_one_wrong_element) {
    const auto rule = make_fixed_rule(1);
    team_.other_tally = {100, 1};
    const CaseResult result = run(*rule);
    EXPECT_EQ(result.status, CaseStatus::wrong);
    EXPECT_EQ(result.wrong_elements, 1u);
    EXPECT_EQ(result.reason, "1 of 300 checked elements are wrong");
}

TEST_F(RunnerTest, counts_wrong_elements_of_either_round) {
    workload_.wrong = 7;
    for (const std::uint64_t round : {0u, 1u}) {
        workload_.wrong_round = round;
        const auto rule = make_fixed_rule(1);
        EXPECT_EQ(run(*rule).wrong_elements, 7u);
    }
}

TEST_F(RunnerTest, fails_the_case_when_this_or_another_rank_cannot_prepare) {
    const auto rule = make_fixed_rule(1);
    workload_.prepare_failure = Error(ExitCode::library, "no memory");
    EXPECT_EQ(run(*rule).status, CaseStatus::failed);
    workload_.prepare_failure.reset();
    team_.other_failure = Failure{ExitCode::library, "rank 3: no memory"};
    const CaseResult result = run(*rule);
    EXPECT_EQ(result.status, CaseStatus::failed);
    EXPECT_EQ(result.reason, "rank 3: no memory");
    EXPECT_EQ(workload_.launched, 0u);
}

TEST_F(RunnerTest, skips_the_case_that_cannot_be_done_here) {
    const auto rule = make_fixed_rule(1);
    workload_.prepare_failure = Error(ExitCode::usage, "count beyond an int");
    EXPECT_EQ(run(*rule).status, CaseStatus::skipped);
    EXPECT_EQ(workload_.launched, 0u);
}

TEST_F(RunnerTest, goes_on_as_long_as_the_slowest_rank_wants) {
    const auto rule = make_time_rule(1'000'000, {4, 100'000, 5'000'000'000});
    team_.other_slower = 250;  // 125 us for what takes 0.5 us here
    run(*rule, {.warmup = 0});
    EXPECT_EQ(samples_.rows(), 8u);  // 1 ms of its samples
}

TEST_F(RunnerTest, starts_at_agreed_times_in_window_mode) {
    FakeClock::step_per_read_ns = 10;
    const auto rule = make_fixed_rule(5);
    run(*rule, {.start = StartMode::window, .warmup = 2, .window_period_ns = 10'000});
    for (std::size_t i = 1; i < 5; ++i) {
        const std::uint64_t distance = samples_.start_ns()[i] - samples_.start_ns()[0];
        EXPECT_GE(distance + 10, i * 10'000);
        EXPECT_LE(distance, i * 10'000 + 20);
    }
}

TEST_F(RunnerTest, says_how_many_agreed_starts_were_missed) {
    FakeClock::step_per_read_ns = 10;
    const auto rule = make_fixed_rule(5);
    workload_.duration_ns = 10'000;
    const RunnerOptions short_period{.start = StartMode::window, .window_period_ns = 100};
    EXPECT_EQ(run(*rule, short_period).reason,
              "4 of 5 agreed starts were missed; use a longer --window-period");
    const RunnerOptions long_period{.start = StartMode::window, .window_period_ns = 20'000};
    EXPECT_EQ(run(*rule, long_period).reason, "");
}

TEST_F(RunnerTest, meets_before_every_iteration_in_barrier_mode) {
    const auto rule = make_fixed_rule(6);
    run(*rule, {.start = StartMode::barrier});
    EXPECT_EQ(team_.barriers, 1 + 6);
}

TEST_F(RunnerTest, remarks_that_a_width_was_not_reached_with_all_samples) {
    FakeClock::step_per_read_ns = 1;
    workload_.growth_ns = 300;  // every operation takes longer: the mean never settles
    const auto rule = make_width_rule(0.0001, {8, 64, 5'000'000'000});
    EXPECT_NE(run(*rule).reason.find("64 samples were taken before"), std::string::npos);
    EXPECT_EQ(samples_.rows(), 64u);
}

TEST_F(RunnerTest, lets_an_idle_rank_take_part_in_agreements_only) {
    workload_.colour = -1;
    const auto rule = make_time_rule(1'000'000, {20, 1000, 5'000'000'000});
    const CaseResult result = run(*rule);
    EXPECT_EQ(workload_.launched, 0u);
    EXPECT_TRUE(workload_.rounds.empty());
    EXPECT_EQ(samples_.rows(), 0u);
    EXPECT_EQ(result.status, CaseStatus::done);
}

TEST_F(RunnerTest, leaves_its_position_for_the_watchdog) {
    const auto rule = make_fixed_rule(9);
    run(*rule);
    EXPECT_EQ(progress_.snapshot().phase, Phase::check_after);
}

class WindowRunnerTest : public RunnerTest {
  protected:
    CaseResult run() {
        return Runner(team_, progress_, FakeClock::clock(), {.clock_offset_ns = 5'000})
            .run(case_, window_workload_, 1'000'000, 50'000, sink_);
    }

    FakeWindowWorkload window_workload_;
    SampleSink sink_{"/tmp", window_workload_.columns()};
};

TEST_F(WindowRunnerTest, samples_the_window_after_the_warmup_and_nothing_else) {
    const CaseResult result = run();
    EXPECT_EQ(result.status, CaseStatus::done);
    EXPECT_EQ(window_workload_.seen->end_ns - window_workload_.seen->begin_ns, 50'000);
    EXPECT_GE(window_workload_.seen->begin_ns, 2'000'000);
    EXPECT_EQ(sink_.rows(), 500u);
    EXPECT_EQ(result.checked_elements, 10u);
}

TEST_F(WindowRunnerTest, begins_when_the_last_rank_can) {
    team_.other_later_ns = 7'000'000;
    run();
    EXPECT_GE(window_workload_.seen->begin_ns, 1'000'000 + 7'000'000 + 1'000'000);
}

TEST_F(WindowRunnerTest, fails_the_case_of_a_rank_that_cannot_go_on_and_keeps_wrong_apart) {
    window_workload_.wrong = 3;
    EXPECT_EQ(run().status, CaseStatus::wrong);
    window_workload_.failure = Error(ExitCode::library, "endpoint gone");
    const CaseResult result = run();
    EXPECT_EQ(result.status, CaseStatus::failed);
    EXPECT_EQ(result.reason, "endpoint gone");
}

TEST_F(WindowRunnerTest, tells_the_watchdog_who_is_inside_of_the_window) {
    window_workload_.progress = &progress_;
    run();
    EXPECT_EQ(window_workload_.sequence_inside, 1u);
    window_workload_.colour = -1;
    run();
    EXPECT_EQ(progress_.snapshot().phase, Phase::check_after);
}

TEST_F(WindowRunnerTest, lets_an_idle_rank_pass) {
    window_workload_.colour = -1;
    EXPECT_EQ(run().status, CaseStatus::done);
    EXPECT_FALSE(window_workload_.seen);
}

}  // namespace
}  // namespace railgauge
