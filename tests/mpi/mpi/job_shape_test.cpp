// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <limits>

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

int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

std::int64_t skew_ns = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): Clock
                           // holds a plain function

/// A clock that is `skew_ns` ahead on odd ranks.
std::int64_t skewed_now_ns() {
    return monotonic_now_ns() + (world_rank() % 2 == 1 ? skew_ns : 0);
}

constexpr Clock skewed_clock{&skewed_now_ns};

/// common time - this rank's, without the error of measuring.
std::int64_t skew_of_this_rank() {
    return world_rank() % 2 == 1 ? -skew_ns : 0;
}

/// The job's ranks as if every one ran on a kernel of its own.
Placement separate_kernels() {
    std::vector<std::string> hosts;
    std::vector<std::string> boot_ids;
    for (int i = 0; i < world_size(); ++i) {
        hosts.push_back("n" + std::to_string(i));
        boot_ids.push_back("boot" + std::to_string(i));
    }
    return make_placement(hosts, boot_ids);
}

TEST(PlacementTest, finds_all_ranks_of_this_test_on_one_node) {
    const Placement placement = exchange_placement(MPI_COMM_WORLD);
    ASSERT_EQ(placement.nodes.size(), 1u);
    EXPECT_EQ(placement.nodes[0].ranks, world_size());
    EXPECT_EQ(placement.nodes[0].host, host_name());
    EXPECT_EQ(placement.ranks[static_cast<std::size_t>(world_rank())].local_rank, world_rank());
}

constexpr std::int64_t for_ever_ns = std::numeric_limits<std::int64_t>::max();

TEST(CommonClockTest, needs_no_offset_within_one_kernel) {
    const CommonClock clock(MPI_COMM_WORLD, exchange_placement(MPI_COMM_WORLD), monotonic_clock,
                            for_ever_ns);
    EXPECT_EQ(clock.offset().offset_ns, 0);
    EXPECT_EQ(clock.offset().error_ns, 0);
    EXPECT_EQ(clock.worst_error_ns(), 0);
}

TEST(CommonClockTest, finds_the_skew_of_another_kernel_within_its_own_bound) {
    skew_ns = 123'456'789'000;
    const CommonClock clock(MPI_COMM_WORLD, separate_kernels(), skewed_clock, for_ever_ns);
    EXPECT_LE(std::abs(clock.offset().offset_ns - skew_of_this_rank()), clock.offset().error_ns);
    EXPECT_EQ(clock.offset().error_ns > 0, world_rank() != 0);
    EXPECT_EQ(clock.worst_error_ns() > 0, world_size() > 1);
}

TEST(CommonClockTest, keeps_a_young_measurement) {
    skew_ns = 0;
    CommonClock clock(MPI_COMM_WORLD, separate_kernels(), skewed_clock, for_ever_ns);
    const std::int64_t offset_ns = clock.offset().offset_ns;
    skew_ns = 5'000'000'000;
    clock.keep();
    EXPECT_EQ(clock.offset().offset_ns, offset_ns);
}

TEST(CommonClockTest, measures_an_old_one_again) {
    skew_ns = 0;
    CommonClock clock(MPI_COMM_WORLD, separate_kernels(), skewed_clock, 0);
    skew_ns = 5'000'000'000;
    clock.keep();
    EXPECT_LE(std::abs(clock.offset().offset_ns - skew_of_this_rank()), clock.offset().error_ns);
}

void spend_ms(std::int64_t ms) {
    const std::int64_t begin_ns = monotonic_now_ns();
    while (monotonic_now_ns() - begin_ns < ms * 1'000'000) {
    }
}

TEST(CommonClockTest, its_bound_grows_with_its_age) {
    skew_ns = 0;
    const CommonClock clock(MPI_COMM_WORLD, separate_kernels(), skewed_clock, for_ever_ns);
    const std::int64_t young_ns = clock.worst_error_ns();
    spend_ms(20);
    EXPECT_GE(clock.worst_error_ns() - young_ns, world_size() > 1 ? 190 : 0);  // 10 us a second
    EXPECT_EQ(clock.worst_error_ns() > young_ns, world_size() > 1);
}

TEST(CommonClockTest, its_bound_grows_by_the_drift_that_was_seen) {
    skew_ns = 0;
    CommonClock clock(MPI_COMM_WORLD, separate_kernels(), skewed_clock, 0);
    skew_ns = 5'000'000'000;
    clock.keep();
    clock.keep();  // the clocks may part as fast again
    spend_ms(20);
    EXPECT_EQ(clock.worst_error_ns() > 1'000'000, world_size() > 1);
}

}  // namespace
}  // namespace railgauge
