// SPDX-License-Identifier: Apache-2.0
#include "mpi/placement.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

TEST(MakePlacementTest, numbers_nodes_by_first_rank_and_local_ranks_within_them) {
    const Placement placement =
        make_placement({"a", "b", "a", "b", "b"}, {"1", "2", "1", "2", "2"});
    ASSERT_EQ(placement.nodes.size(), 2u);
    EXPECT_EQ(placement.nodes[1], (Placement::Node{"b", "2", 3}));
    EXPECT_EQ(placement.ranks[4], (Placement::Rank{1, 2, -1, {}, false}));
    EXPECT_EQ(placement.ranks[2], (Placement::Rank{0, 1, -1, {}, false}));
}

TEST(MakePlacementTest, keeps_machines_apart_that_share_a_name) {
    const Placement placement = make_placement({"gpu", "gpu", "gpu#2"}, {"1", "2", "3"});
    ASSERT_EQ(placement.nodes.size(), 3u);
    EXPECT_EQ(placement.nodes[0].host, "gpu");
    EXPECT_EQ(placement.nodes[1].host, "gpu#2");
    EXPECT_EQ(placement.nodes[2].host, "gpu#2#2");
}

TEST(MakePlacementTest, keeps_containers_of_one_kernel_apart) {
    EXPECT_EQ(make_placement({"pod-0", "pod-1"}, {"1", "1"}).nodes.size(), 2u);
}

TEST(CheckExpectedPlacementTest, refuses_another_shape_by_name) {
    const Placement placement = make_placement({"a", "a", "서울"}, {"1", "1", "2"});
    EXPECT_NO_THROW(check_expected_placement(placement, 2, 0));
    EXPECT_NO_THROW(check_expected_placement(placement, 0, 0));
    EXPECT_THROW(check_expected_placement(placement, 3, 0), Error);
    try {
        check_expected_placement(placement, 2, 2);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("node 서울 runs 1 rank(s), 2 expected"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace railgauge
