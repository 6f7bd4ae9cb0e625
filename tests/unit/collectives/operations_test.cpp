// SPDX-License-Identifier: Apache-2.0
#include "collective/operations.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collective/pattern.hpp"

namespace railgauge {
namespace {

std::string test_name(const testing::TestParamInfo<OperationRow>& info) {
    return std::string(info.param.name);
}

class OperationTest : public testing::TestWithParam<OperationRow> {};

INSTANTIATE_TEST_SUITE_P(Every, OperationTest,
                         testing::ValuesIn(operations().begin(), operations().end()), test_name);

TEST_P(OperationTest, is_found_by_enumerator_and_by_name) {
    EXPECT_EQ(row_of(GetParam().operation).name, GetParam().name);
    EXPECT_EQ(find_operation(GetParam().name).operation, GetParam().operation);
}

TEST_P(OperationTest, uses_as_many_whole_elements_per_rank_as_fit) {
    for (const int ranks : {1, 2, 3, 4, 7, 96}) {
        for (const DataType type : {DataType::bytes, DataType::float32, DataType::float64}) {
            for (const std::uint64_t bytes : {0, 1, 7, 8, 1000, 16'777'216}) {
                const std::size_t count = count_within(GetParam(), bytes, type, ranks);
                const auto larger = [&](std::size_t c) {
                    return larger_elements(GetParam(), c, ranks) * size_of(type);
                };
                EXPECT_LE(larger(count), bytes);
                EXPECT_GT(larger(count + 1), bytes);
            }
        }
    }
}

/// Element `index` of a rank's input, or of the reduction.
using Element = std::pair<int, std::size_t>;

/// What each collective is by definition: result element `index` of `rank`.
Element definition(Operation operation, int rank, int root, std::size_t count, std::size_t index) {
    const auto chunk = static_cast<int>(index / count);
    const std::size_t own_part = static_cast<std::size_t>(rank) * count;
    switch (operation) {
        case Operation::all_reduce: return {reduced_over_ranks, index};
        case Operation::all_gather: return {chunk, index % count};
        case Operation::reduce_scatter: return {reduced_over_ranks, own_part + index};
        case Operation::broadcast: return {root, index};
        case Operation::reduce: return {reduced_over_ranks, index};
        case Operation::alltoall: return {chunk, own_part + index % count};
    }
    return {};
}

TEST_P(OperationTest, knows_where_each_element_comes_from) {
    constexpr int ranks = 5;
    constexpr int root = 3;
    constexpr std::size_t count = 4;
    for (int rank = 0; rank < ranks; ++rank) {
        for (std::size_t i = 0; i < receive_elements(GetParam(), count, ranks); ++i) {
            const auto chunk = static_cast<int>(i / count);
            const Origin origin = GetParam().origin({rank, chunk, root, count});
            const Element element{origin.source, origin.first + i % count};
            EXPECT_EQ(element, definition(GetParam().operation, rank, root, count, i));
        }
    }
}

/// The table in nccl-tests' doc/PERFORMANCE.md.
TEST_P(OperationTest, has_the_bus_factor_of_nccl_tests) {
    const std::map<Operation, double> on_8_ranks{{Operation::all_reduce, 1.75},
                                                 {Operation::all_gather, 0.875},
                                                 {Operation::reduce_scatter, 0.875},
                                                 {Operation::broadcast, 1},
                                                 {Operation::reduce, 1},
                                                 {Operation::alltoall, 0.875}};
    EXPECT_DOUBLE_EQ(GetParam().bus_factor(8), on_8_ranks.at(GetParam().operation));
    EXPECT_GE(GetParam().bus_factor(1), 0);
}

TEST(OperationsTest, only_broadcast_and_reduce_are_rooted) {
    for (const OperationRow& row : operations()) {
        const bool rooted =
            row.operation == Operation::broadcast || row.operation == Operation::reduce;
        EXPECT_EQ(is_rooted(row), rooted) << row.name;
    }
}

TEST(OperationsTest, an_unknown_name_is_refused) {
    EXPECT_THROW(find_operation("allreduce"), Error);
}

}  // namespace
}  // namespace railgauge
