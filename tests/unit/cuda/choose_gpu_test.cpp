// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cuda/gpu.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

std::string refusal_of(int gpus, int local_rank, int local_ranks) {
    try {
        choose_gpu(gpus, local_rank, local_ranks);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    ADD_FAILURE() << local_rank << " of " << local_ranks << " got one of " << gpus << " GPUs";
    return {};
}

TEST(ChooseGpuTest, a_rank_takes_the_gpu_of_its_number_on_the_node) {
    for (int rank = 0; rank < 8; ++rank)
        EXPECT_EQ(choose_gpu(8, rank, 8), rank);
}

TEST(ChooseGpuTest, spare_gpus_stay_idle) {
    EXPECT_EQ(choose_gpu(8, 0, 2), 0);
    EXPECT_EQ(choose_gpu(8, 1, 2), 1);
}

TEST(ChooseGpuTest, the_only_one_that_the_launcher_shows_is_every_ranks_own) {
    for (int rank = 0; rank < 8; ++rank)
        EXPECT_EQ(choose_gpu(1, rank, 8), 0);
}

TEST(ChooseGpuTest, a_rank_beyond_the_gpus_is_refused_with_both_numbers_and_a_remedy) {
    const std::string refusal = refusal_of(2, 2, 3);
    EXPECT_THAT(refusal, HasSubstr("3 ranks and 2 GPUs"));
    EXPECT_THAT(refusal, HasSubstr("start 2 ranks per node"));
    EXPECT_EQ(choose_gpu(2, 1, 3), 1);  // the refusal is of those that get none
}

TEST(ChooseGpuTest, a_node_without_gpus_is_refused_with_what_works_there) {
    EXPECT_THAT(refusal_of(0, 0, 1), HasSubstr("--backend mpi --memory host"));
}

}  // namespace
}  // namespace railgauge
