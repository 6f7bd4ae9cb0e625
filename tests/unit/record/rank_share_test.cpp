// SPDX-License-Identifier: Apache-2.0
#include "record/rank_share.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace railgauge {
namespace {

RankShare share_of(std::uint64_t rows, std::uint64_t block_cells) {
    RankShare share;
    share.block_cells = block_cells;
    const auto samples = test::numbered_samples(0, rows);  // two columns and a constant
    share.describe(&samples);
    return share;
}

TEST(RankShareTest, every_row_is_in_exactly_one_block) {
    for (const std::uint64_t rows : {1, 2, 10, 17}) {
        for (const std::uint64_t block_cells : {1, 2, 7, 12, 1000}) {
            const RankShare share = share_of(rows, block_cells);
            std::uint64_t next = 0;
            for (std::uint64_t block = 0; block < share.blocks(); ++block) {
                EXPECT_EQ(share.first_row(block), next);
                EXPECT_GT(share.rows_of(block), 0U);
                next += share.rows_of(block);
            }
            EXPECT_EQ(next, rows);
        }
    }
}

TEST(RankShareTest, blocks_are_bounded_however_long_the_case_is) {
    const RankShare share = share_of(1'000'000, 1000);
    for (std::uint64_t block = 0; block < share.blocks(); ++block) {
        EXPECT_LE(share.cells_of(block), 1000 + RankShare::status_cells + 1);
    }
}

TEST(RankShareTest, a_share_without_rows_is_one_block_for_the_rest) {
    RankShare share;
    share.observation_cells = 5;
    EXPECT_EQ(share.blocks(), 1U);
    EXPECT_EQ(share.cells_of(0), RankShare::status_cells + 5);
}

TEST(RankShareTest, a_rank_that_failed_sends_nothing) {
    const RankShare share{.state = RankShare::State::failed};
    EXPECT_EQ(share.blocks(), 0U);
}

TEST(RankShareTest, constants_travel_once_and_only_with_samples) {
    EXPECT_EQ(share_of(0, 4).constants_of(0), 0U);
    EXPECT_EQ(share_of(9, 4).constants_of(0), 1U);
    EXPECT_EQ(share_of(9, 4).constants_of(1), 0U);
}

}  // namespace
}  // namespace railgauge
