// SPDX-License-Identifier: Apache-2.0
#include "verbs/id_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> finish(IdRing& ring, std::uint32_t sequence) {
    std::vector<std::uint64_t> ids;
    ring.finish_through(sequence, [&](std::uint64_t id) { ids.push_back(id); });
    return ids;
}

TEST(IdRingTest, one_completion_finishes_all_that_were_posted_before_it) {
    IdRing ring(4);
    ring.push(10);
    ring.push(11);
    const std::uint32_t third = ring.push(12);
    ring.push(13);
    EXPECT_THAT(finish(ring, third), ElementsAre(10, 11, 12));
    EXPECT_EQ(ring.in_flight(), 1u);
}

TEST(IdRingTest, is_full_at_exactly_its_depth) {
    IdRing ring(3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(ring.is_full());
        ring.push(1);
    }
    EXPECT_TRUE(ring.is_full());
}

TEST(IdRingTest, goes_round_for_ever) {
    IdRing ring(3);
    for (std::uint64_t id = 0; id < 1000; ++id)
        EXPECT_THAT(finish(ring, ring.push(id)), ElementsAre(id));
}

TEST(IdRingTest, has_room_again_for_what_has_finished) {
    IdRing ring(2);
    const std::uint32_t first = ring.push(1);
    ring.push(2);
    finish(ring, first);
    EXPECT_FALSE(ring.is_full());
    EXPECT_THAT(finish(ring, ring.push(3)), ElementsAre(2, 3));
}

}  // namespace
}  // namespace railgauge
