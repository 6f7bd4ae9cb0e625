// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep.hpp"

#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

std::vector<Value> numbers(std::initializer_list<std::int64_t> values) {
    return {values.begin(), values.end()};
}

TEST(SweepTest, varies_the_first_axis_slowest) {
    Sweep sweep;
    sweep.axis("operation", {std::string("a"), std::string("b")}).axis("bytes", numbers({8, 16}));
    const auto cases = sweep.cases();
    ASSERT_EQ(cases.size(), 4u);
    EXPECT_EQ(cases[0].name(), "a/8");
    EXPECT_EQ(cases[1].name(), "a/16");
    EXPECT_EQ(cases[2].name(), "b/8");
    EXPECT_EQ(cases[3].integer("bytes"), 16);
}

TEST(SweepTest, has_no_case_when_an_axis_is_empty) {
    Sweep sweep;
    sweep.axis("operation", {}).axis("bytes", numbers({8}));
    EXPECT_TRUE(sweep.cases().empty());
}

TEST(SweepTest, makes_the_product_of_any_axes_with_unique_names) {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same axes every time
    for (int round = 0; round < 20; ++round) {
        Sweep sweep;
        std::size_t product = 1;
        for (int axis = 0; axis < 4; ++axis) {
            const std::size_t length = 1 + random() % 5;
            std::vector<Value> values;
            for (std::size_t i = 0; i < length; ++i)
                values.emplace_back(static_cast<std::int64_t>(i));
            sweep.axis(fmt::format("axis{}", axis), values);
            product *= length;
        }
        const auto plan = make_plan(sweep.cases());
        std::set<std::string> names;
        for (const Case& c : plan)
            names.insert(c.name());
        EXPECT_EQ(plan.size(), product);
        EXPECT_EQ(names.size(), product);
    }
}

TEST(MakePlanTest, numbers_cases_in_order) {
    Sweep sweep;
    sweep.axis("bytes", numbers({32, 8, 16}));
    const auto plan = make_plan(sweep.cases());
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(plan[static_cast<std::size_t>(i)].id(), i);
    EXPECT_EQ(plan[0].name(), "32");
}

TEST(MakePlanTest, refuses_nothing_twice_the_same_and_too_many) {
    EXPECT_THROW(make_plan({}), Error);
    EXPECT_THROW(make_plan({Case("a", {}), Case("a", {})}), Error);
    Sweep sweep;
    std::vector<Value> thousand;
    for (std::int64_t i = 0; i < 1000; ++i)
        thousand.emplace_back(i);
    sweep.axis("a", thousand).axis("b", thousand).axis("c", thousand);
    EXPECT_THROW(make_plan(sweep.cases()), Error);
}

TEST(PlanIdTest, depends_on_every_value_and_on_the_context) {
    const auto plan = [](std::int64_t bytes) {
        Sweep sweep;
        sweep.axis("bytes", {Value(bytes)});
        return make_plan(sweep.cases());
    };
    EXPECT_EQ(plan_id(plan(8), "x"), plan_id(plan(8), "x"));
    EXPECT_NE(plan_id(plan(8), "x"), plan_id(plan(9), "x"));
    EXPECT_NE(plan_id(plan(8), "x"), plan_id(plan(8), "y"));
    auto annotated = plan(8);
    annotated[0].annotate("count", std::int64_t{2});
    EXPECT_NE(plan_id(plan(8), "x"), plan_id(annotated, "x"));
}

TEST(CaseTest, gives_values_only_by_their_own_type) {
    const Case c("x", {{"bytes", std::int64_t{8}}, {"dtype", std::string("float32")}});
    EXPECT_EQ(c.integer("bytes"), 8);
    EXPECT_EQ(c.text("dtype"), "float32");
    EXPECT_THROW(c.text("bytes"), std::logic_error);
    EXPECT_THROW(c.integer("absent"), std::logic_error);
}

TEST(CaseStatusTest, survives_a_round_trip) {
    for (const auto status : {CaseStatus::planned, CaseStatus::done, CaseStatus::wrong,
                              CaseStatus::failed, CaseStatus::skipped, CaseStatus::expired}) {
        EXPECT_EQ(parse_case_status(to_text(status)), status);
    }
    EXPECT_THROW(parse_case_status("finished"), Error);
}

}  // namespace
}  // namespace railgauge
