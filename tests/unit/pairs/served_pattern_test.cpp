// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "pairs/patterns.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::make_rail_placement;

TEST(ServedPatternTest, ranks_are_measured_at_once_or_each_alone_and_a_dead_one_never) {
    Placement placement = make_rail_placement({{0, 1}, {0, 1}});
    placement.ranks[2].rail_is_dead = true;
    const Fleet fleet = make_fleet(placement, nullptr);
    PairsOptions options;
    options.served.server = "storage1";
    const auto at_once = match_ranks("served", options, fleet, nullptr);
    ASSERT_EQ(at_once.size(), 1u);
    EXPECT_THAT(at_once[0].peers, ElementsAre(0, 1, -1, 3));
    EXPECT_EQ(at_once[0].pairs(), 3);
    EXPECT_EQ(at_once[0].served, "storage1:7471");
    options.rails = "one-by-one";
    const auto alone = match_ranks("served", options, fleet, nullptr);
    ASSERT_EQ(alone.size(), 3u);
    EXPECT_THAT(alone[2].peers, ElementsAre(-1, -1, -1, 3));
    EXPECT_EQ(alone[2].rails, "1");
    EXPECT_EQ(alone[2].round, 2);
    EXPECT_NE(alone[0].digest(fleet), alone[1].digest(fleet));
    options.rails = "both";
    EXPECT_EQ(match_ranks("served", options, fleet, nullptr).size(), 4u);
}

}  // namespace
}  // namespace railgauge
