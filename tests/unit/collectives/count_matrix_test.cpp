// SPDX-License-Identifier: Apache-2.0
#include "collectives/count_matrix.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

class WeightsFileTest : public testing::Test {
  protected:
    WeightsFileTest() : folder_(mkdtemp(name_.data())) {}
    ~WeightsFileTest() override { fs::remove_all(folder_); }

    fs::path file(const std::string& text) {
        std::ofstream(folder_ / "행렬.txt", std::ios::binary) << text;
        return folder_ / "행렬.txt";
    }

    std::string refusal(const std::string& text, std::size_t ranks) {
        try {
            read_weights(file(text), ranks);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
        return "accepted";
    }

    std::string name_ = "/tmp/railgauge-weights-XXXXXX";
    fs::path folder_;
};

TEST_F(WeightsFileTest, is_read_row_by_row) {
    EXPECT_EQ(read_weights(file("# senders down\n0 1.5\n\n2e0 0 # self\n"), 2),
              (Weights{0, 1.5, 2, 0}));
}

TEST_F(WeightsFileTest, that_is_none_is_refused_with_its_line) {
    EXPECT_THAT(refusal("0 1\n", 2), testing::HasSubstr("1 rows, the job 2 ranks"));
    EXPECT_THAT(refusal("0 1\n0 1\n1 1\n", 2), testing::HasSubstr("line 3"));
    EXPECT_THAT(refusal("0 1 2\n", 2), testing::HasSubstr("3 numbers"));
    EXPECT_THAT(refusal("0 -1\n0 0\n", 2), testing::HasSubstr("'-1' is no weight"));
    EXPECT_THAT(refusal("0 nan\n0 0\n", 2), testing::HasSubstr("'nan' is no weight"));
    EXPECT_THAT(refusal("0 1e999\n0 0\n", 2), testing::HasSubstr("is no weight"));
    EXPECT_THAT(refusal("a b\n", 2), testing::HasSubstr("line 1: 'a'"));
    EXPECT_THROW(read_weights(folder_ / "none", 2), Error);
    EXPECT_THROW(read_weights(folder_, 2), Error);
}

TEST(CountMatrixTest, chunks_follow_each_other_in_both_buffers) {
    const CountMatrix counts(2, {1, 2, 3, 4});
    EXPECT_EQ(counts.count(1, 0), 3u);
    EXPECT_EQ(counts.send_offset(1, 1), 3u);
    EXPECT_EQ(counts.receive_offset(1, 1), 2u);
    EXPECT_EQ(counts.sent(1), 7u);
    EXPECT_EQ(counts.received(1), 6u);
    EXPECT_EQ(counts.most(), 7u);
}

TEST(CountMatrixTest, nobody_has_more_than_the_most_and_somebody_nearly_has_it) {
    for (const std::size_t ranks : {1, 2, 3, 8, 96}) {
        const Weights weights = seeded_weights(ranks, 0.5, 7);
        for (const std::size_t most : {1'000'000, 12'345}) {
            const CountMatrix counts = scale_to(weights, ranks, most);
            EXPECT_LE(counts.most(), most);
            EXPECT_GE(counts.most() + ranks, most);
        }
    }
}

TEST(CountMatrixTest, weights_that_are_all_zero_move_nothing) {
    EXPECT_EQ(scale_to(Weights(4, 0.0), 2, 1000).most(), 0u);
}

TEST(CountMatrixTest, a_seed_gives_the_same_weights_everywhere) {
    EXPECT_EQ(seeded_weights(3, 0.5, 1), seeded_weights(3, 0.5, 1));
    EXPECT_NE(seeded_weights(3, 0.5, 1), seeded_weights(3, 0.5, 2));
    for (const double weight : seeded_weights(10, 0.25, 1)) {
        EXPECT_GE(weight, 0.75);
        EXPECT_LE(weight, 1.25);
    }
    EXPECT_DOUBLE_EQ(seeded_weights(2, 0.5, 1)[0], 0.63387664401253263);
}

}  // namespace
}  // namespace railgauge
