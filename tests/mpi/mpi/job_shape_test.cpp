// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mpi/common_clock.hpp"
#include "mpi/placement.hpp"

namespace railgauge {
namespace {

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// A clock that is `skew_ns` ahead on odd ranks.
template <std::int64_t skew_ns>
std::int64_t skewed_now_ns() {
    return monotonic_now_ns() + (world_rank() % 2 == 1 ? skew_ns : 0);
}

/// The job's ranks as if every one ran on a kernel of its own.
Placement separate_kernels() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<std::string> hosts;
    std::vector<std::string> boot_ids;
    for (int i = 0; i < size; ++i) {
        hosts.push_back("n" + std::to_string(i));
        boot_ids.push_back("boot" + std::to_string(i));
    }
    return make_placement(hosts, boot_ids);
}

TEST(PlacementTest, finds_all_ranks_of_this_test_on_one_node) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const Placement placement = exchange_placement(MPI_COMM_WORLD);
    ASSERT_EQ(placement.nodes.size(), 1u);
    EXPECT_EQ(placement.nodes[0].ranks, size);
    EXPECT_EQ(placement.nodes[0].host, host_name());
    EXPECT_EQ(placement.ranks[static_cast<std::size_t>(world_rank())].local_rank, world_rank());
}

TEST(CommonClockTest, needs_no_offset_within_one_kernel) {
    const ClockOffset offset =
        synchronise_clocks(MPI_COMM_WORLD, exchange_placement(MPI_COMM_WORLD), monotonic_clock);
    EXPECT_EQ(offset.offset_ns, 0);
    EXPECT_EQ(offset.error_ns, 0);
}

TEST(CommonClockTest, finds_the_skew_of_another_kernel_within_its_own_bound) {
    constexpr std::int64_t skew_ns = 123'456'789'000;
    const Clock clock{"skewed", &skewed_now_ns<skew_ns>};
    const ClockOffset offset = synchronise_clocks(MPI_COMM_WORLD, separate_kernels(), clock);
    const std::int64_t expected_ns = world_rank() % 2 == 1 ? -skew_ns : 0;
    EXPECT_LE(std::abs(offset.offset_ns - expected_ns), offset.error_ns);
    EXPECT_EQ(offset.error_ns > 0, world_rank() != 0);
}

}  // namespace
}  // namespace railgauge
