// SPDX-License-Identifier: Apache-2.0
#include "record/block_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<RankManifest> manifests(const std::vector<std::uint64_t>& rows) {
    std::vector<RankManifest> all(rows.size());
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        const auto samples = test::numbered_samples(static_cast<int>(rank), rows[rank]);
        all[rank].describe(&samples);
    }
    return all;
}

TEST(BlockPlanTest, every_row_is_in_exactly_one_block) {
    const std::vector<std::uint64_t> rows{10, 0, 3, 17};
    for (const std::size_t most_cells : {1, 2, 7, 12, 60, 1000}) {
        const BlockPlan plan(manifests(rows), most_cells);
        for (int rank = 0; rank < plan.ranks(); ++rank) {
            std::uint64_t next = 0;
            for (std::uint64_t block = 0; block < plan.blocks(); ++block) {
                if (plan.rows(rank, block) == 0) continue;
                EXPECT_EQ(plan.first_row(block), next);
                next += plan.rows(rank, block);
            }
            EXPECT_EQ(next, rows[static_cast<std::size_t>(rank)]);
        }
    }
}

TEST(BlockPlanTest, blocks_are_bounded_however_long_the_case_is) {
    const BlockPlan plan(manifests({100'000, 100'000}), 1000);
    for (std::uint64_t block = 0; block < plan.blocks(); ++block) {
        EXPECT_LE(plan.block_cells(block), 1000 + 2 * (BlockPlan::status_cells + 1));
    }
}

TEST(BlockPlanTest, offsets_are_where_each_rank_begins) {
    EXPECT_THAT(BlockPlan(manifests({10, 0, 3}), 1000).offsets(), ElementsAre(0, 10, 10, 13));
}

TEST(BlockPlanTest, a_case_without_rows_has_one_block_for_the_rest) {
    EXPECT_EQ(BlockPlan(std::vector<RankManifest>(3), 1000).blocks(), 1U);
}

TEST(BlockPlanTest, refuses_ranks_with_other_columns) {
    auto all = manifests({1, 1});
    all[1].columns_hash ^= 1;
    EXPECT_THAT([&] { BlockPlan(all, 1000); }, ThrowsMessage<AgreedError>(HasSubstr("rank 1")));
}

TEST(BlockPlanTest, refuses_samples_that_rank_0_knows_nothing_of) {
    auto all = manifests({0, 1});
    all[0] = RankManifest{};
    EXPECT_THROW(BlockPlan(all, 1000), AgreedError);
}

TEST(BlockPlanTest, an_idle_rank_may_have_other_columns) {
    auto all = manifests({1, 0});
    all[1].columns_hash ^= 1;
    EXPECT_EQ(BlockPlan(all, 1000).blocks(), 1U);
}

TEST(BlockPlanTest, refuses_observations_beyond_what_mpi_can_gather) {
    auto all = manifests({1, 1});
    all[1].observation_cells = std::uint64_t{1} << 31;
    EXPECT_THAT([&] { BlockPlan(all, 1000); }, ThrowsMessage<AgreedError>(HasSubstr("16 GiB")));
}

}  // namespace
}  // namespace railgauge
