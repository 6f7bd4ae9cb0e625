// SPDX-License-Identifier: Apache-2.0
#include "measure/stop_rule.hpp"

#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

struct Outcome {
    std::size_t samples = 0;
    std::size_t blocks = 0;
    std::int64_t elapsed_ns = 0;
};

/// Runs `rule` on a rank whose samples take what `sample_ns` says.
Outcome drive(StopRule& rule, const std::function<std::int64_t()>& sample_ns) {
    Outcome outcome;
    std::size_t block = rule.begin();
    while (block > 0 && outcome.samples < rule.capacity()) {
        block = std::min(block, rule.capacity() - outcome.samples);
        std::vector<Cell> cells(block);
        for (Cell& cell : cells) {
            cell = static_cast<Cell>(sample_ns());
            outcome.elapsed_ns += static_cast<std::int64_t>(cell);
        }
        outcome.samples += block;
        ++outcome.blocks;
        block = rule.next(rule.observe({cells, outcome.elapsed_ns}));
    }
    return outcome;
}

TEST(FixedRuleTest, takes_exactly_what_was_asked) {
    const auto rule = make_fixed_rule(37);
    EXPECT_EQ(drive(*rule, [] { return 1000; }).samples, 37u);
    EXPECT_EQ(rule->capacity(), 37u);
}

TEST(TimeRuleTest, fills_the_time_with_few_agreements) {
    const auto rule = make_time_rule(200'000'000, {20, 1'000'000, 5'000'000'000});
    const Outcome outcome = drive(*rule, [] { return 10'000; });
    EXPECT_GE(outcome.samples, 19'000u);
    EXPECT_LE(outcome.samples, 21'000u);
    EXPECT_LE(outcome.blocks, 8u);
}

TEST(TimeRuleTest, takes_the_least_number_even_when_one_sample_exceeds_the_time) {
    const auto rule = make_time_rule(1'000'000, {20, 10'000, 5'000'000'000});
    EXPECT_EQ(drive(*rule, [] { return 100'000'000; }).samples, 20u);
    EXPECT_TRUE(rule->remark().empty());
}

TEST(TimeRuleTest, stops_at_the_most_time_and_says_so) {
    const auto rule = make_time_rule(200'000'000, {20, 10'000, 5'000'000'000});
    const Outcome outcome = drive(*rule, [] { return 1'000'000'000; });
    EXPECT_LE(outcome.samples, 6u);
    EXPECT_NE(rule->remark().find("samples fit into 5 s"), std::string::npos);
}

TEST(TimeRuleTest, never_exceeds_its_capacity) {
    const auto rule = make_time_rule(1'000'000'000, {20, 500, 5'000'000'000});
    EXPECT_EQ(drive(*rule, [] { return 100; }).samples, 500u);
}

TEST(WidthRuleTest, stops_soon_when_samples_hardly_scatter) {
    const auto rule = make_width_rule(0.02, {40, 100'000, 5'000'000'000});
    EXPECT_LE(drive(*rule, [] { return 10'000; }).samples, 80u);
}

TEST(WidthRuleTest, takes_more_the_more_samples_scatter) {
    std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same scatter every time
    std::uniform_int_distribution<std::int64_t> wide(1'000, 100'000);
    const auto rule = make_width_rule(0.02, {40, 1'000'000, 60'000'000'000});
    const Outcome outcome = drive(*rule, [&] { return wide(random); });
    // Standard deviation 28.6 us of mean 50.5 us: about (1.96 x 0.566 / 0.02)^2 = 3,080 samples.
    EXPECT_GT(outcome.samples, 500u);
    EXPECT_LT(outcome.samples, 20'000u);
    EXPECT_TRUE(rule->remark().empty());
}

TEST(WidthRuleTest, gives_up_at_the_most_time_and_says_so) {
    std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same scatter every time
    std::uniform_int_distribution<std::int64_t> wide(1'000, 10'000'000);
    const auto rule = make_width_rule(0.0001, {40, 1'000'000, 1'000'000'000});
    drive(*rule, [&] { return wide(random); });
    EXPECT_NE(rule->remark().find("interval still wider"), std::string::npos);
}

TEST(WidthRuleTest, says_so_when_its_samples_ran_out) {
    const auto rule = make_width_rule(0.0001, {40, 500, 5'000'000'000});
    rule->begin();
    EXPECT_TRUE(rule->remark().empty());
    rule->exhausted();
    EXPECT_NE(rule->remark().find("500 samples were taken before"), std::string::npos);
}

TEST(WidthRuleTest, decides_alike_on_a_rank_that_is_idle) {
    const auto busy = make_width_rule(0.0001, {40, 5'000, 60'000'000'000});
    const auto idle = make_width_rule(0.0001, {40, 5'000, 60'000'000'000});
    std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same scatter every time
    std::size_t block = busy->begin();
    EXPECT_EQ(idle->begin(), block);
    for (int i = 0; i < 200; ++i) {
        std::vector<Cell> cells(block);
        for (Cell& cell : cells)
            cell = 1'000 + random() % 10'000;
        const double agreed = busy->observe({cells, 1});
        block = busy->next(agreed);
        ASSERT_EQ(idle->next(agreed), block);
    }
}

TEST(StopRuleTest, forgets_the_last_case) {
    for (const auto& rule : {make_time_rule(1'000'000, {20, 10'000, 5'000'000'000}),
                             make_width_rule(0.02, {40, 100'000, 5'000'000'000})}) {
        const Outcome first = drive(*rule, [] { return 10'000; });
        const Outcome second = drive(*rule, [] { return 10'000; });
        EXPECT_EQ(first.samples, second.samples);
    }
}

}  // namespace
}  // namespace railgauge
