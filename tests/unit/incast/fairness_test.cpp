// SPDX-License-Identifier: Apache-2.0
#include "incast/fairness.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(FairnessTest, jain_is_one_for_equal_parts_and_one_over_n_when_one_has_all) {
    EXPECT_DOUBLE_EQ(jain_index(std::vector{7.0, 7.0, 7.0, 7.0}), 1);
    EXPECT_DOUBLE_EQ(jain_index(std::vector{7.0, 0.0, 0.0, 0.0}), 0.25);
    EXPECT_DOUBLE_EQ(jain_index(std::vector{3.0}), 1);
}

TEST(FairnessTest, jain_of_one_sender_at_half_speed_among_four) {
    EXPECT_DOUBLE_EQ(jain_index(std::vector{2.0, 2.0, 2.0, 1.0}), 49.0 / 52);
}

TEST(FairnessTest, shares_are_of_the_mean) {
    EXPECT_THAT(fair_shares(std::vector{1.0, 2.0, 3.0}),
                ElementsAre(DoubleEq(0.5), DoubleEq(1), DoubleEq(1.5)));
}

TEST(FairnessTest, nothing_moved_has_no_fairness) {
    EXPECT_TRUE(std::isnan(jain_index(std::vector{0.0, 0.0})));
    EXPECT_TRUE(std::isnan(fair_shares(std::vector{0.0, 0.0}).front()));
}

}  // namespace
}  // namespace railgauge
