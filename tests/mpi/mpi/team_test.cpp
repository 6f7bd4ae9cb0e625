// SPDX-License-Identifier: Apache-2.0
#include "mpi/team.hpp"

#include <gtest/gtest.h>

#include "mpi/communicator.hpp"
#include "mpi/gather_texts.hpp"

namespace railgauge {
namespace {

class TeamTest : public ::testing::Test {
  protected:
    MpiTeam team_{MPI_COMM_WORLD, "서울-노드"};
};

TEST_F(TeamTest, sums_tallies_when_nobody_failed) {
    const auto size = static_cast<std::uint64_t>(team_.size());
    const CheckTally sum = team_.agree({}, {10, static_cast<std::uint64_t>(team_.rank())});
    EXPECT_EQ(sum.checked, 10 * size);
    EXPECT_EQ(sum.wrong, size * (size - 1) / 2);
}

TEST_F(TeamTest, takes_the_largest_value) {
    EXPECT_EQ(team_.max(std::int64_t{team_.rank()}), team_.size() - 1);
    EXPECT_DOUBLE_EQ(team_.max(-1.5 * team_.rank()), 0.0);
}

// A rank that does not throw would go on to the next stage and wait there for the others for ever.
TEST_F(TeamTest, throws_the_failure_of_the_lowest_failing_rank_on_every_rank) {
    const int last = team_.size() - 1;
    try {
        agreed(team_, [&] {
            if (team_.rank() == last) throw Error(ExitCode::usage, "root 9", "4 ranks", "use 0");
        });
        FAIL() << "rank " << team_.rank() << " went on";
    } catch (const AgreedError& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        const std::string text = error.what();
        EXPECT_NE(text.find("root 9 (4 ranks); use 0"), std::string::npos) << text;
        EXPECT_EQ(text.find("rank " + std::to_string(last) + " on 서울-노드: ") == 0,
                  team_.size() > 1);
    }
}

TEST_F(TeamTest, names_no_rank_when_all_failed_alike) {
    try {
        agreed(team_, [] { throw Error(ExitCode::library, "a", "b", "c"); });
        FAIL();
    } catch (const AgreedError& error) {
        EXPECT_STREQ(error.what(), "a (b); c");
    }
}

TEST_F(TeamTest, can_agree_again_after_a_failure) {
    EXPECT_THROW(agreed(team_, [] { throw std::runtime_error("x"); }), AgreedError);
    EXPECT_EQ(team_.agree({}, {1, 0}).checked, static_cast<std::uint64_t>(team_.size()));
}

TEST(GatherTextsTest, brings_texts_of_any_length_to_rank_0_in_order) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto texts =
        gather_texts(MPI_COMM_WORLD, std::string(static_cast<std::size_t>(rank), 'x'));
    ASSERT_EQ(texts.size(), rank == 0 ? static_cast<std::size_t>(size) : 0);
    for (std::size_t i = 0; i < texts.size(); ++i)
        EXPECT_EQ(texts[i].size(), i);
}

TEST(GatherTextsTest, broadcasts_korean_text_and_nothing) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT_EQ(broadcast_text(MPI_COMM_WORLD, 0, rank == 0 ? "포트 27" : ""), "포트 27");
    EXPECT_EQ(broadcast_text(MPI_COMM_WORLD, 0, rank == 0 ? "" : "other"), "");
}

TEST(CommunicatorTest, splits_into_groups_and_leaves_negative_colours_out) {
    Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
    Communicator part = Communicator::split(world.get(), world.rank() == 0 ? -1 : world.rank() % 2);
    EXPECT_EQ(static_cast<bool>(part), world.rank() != 0);
    part.close();
    world.close();
    EXPECT_FALSE(world);
}

}  // namespace
}  // namespace railgauge
