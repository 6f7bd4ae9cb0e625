// SPDX-License-Identifier: Apache-2.0
#include "collective/operations.hpp"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

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

constexpr int ranks = 4;
constexpr int root = 3;
constexpr std::size_t count = 6;

CollectiveCall call_of_test(Operation operation) {
    CollectiveCall call{};
    call.operation = operation;
    call.root = root;
    call.count = count;
    call.counts = std::make_shared<CountMatrix>(
        ranks, std::vector<std::size_t>{1, 2, 0, 3, 4, 0, 1, 1, 0, 0, 2, 2, 1, 1, 1, 0});
    return call;
}

/// What each collective is by definition: result element `index` of `rank`.
Element definition(Operation operation, int rank, std::size_t index) {
    const auto chunk = static_cast<int>(index / count);
    const std::size_t own_part = static_cast<std::size_t>(rank) * count;
    switch (operation) {
        case Operation::all_reduce:
        case Operation::reduce: return {reduced_over_ranks, index};
        case Operation::all_gather:
        case Operation::gather:
        case Operation::hypercube: return {chunk, index % count};
        case Operation::reduce_scatter: return {reduced_over_ranks, own_part + index};
        case Operation::broadcast: return {root, index};
        case Operation::alltoall: return {chunk, own_part + index % count};
        case Operation::scatter: return {root, own_part + index};
        case Operation::sendrecv: return {rank == 0 ? ranks - 1 : rank - 1, index};
        case Operation::alltoallv: break;
    }
    return {};
}

TEST_P(OperationTest, knows_where_each_element_comes_from) {
    if (GetParam().operation == Operation::alltoallv) return;  // below
    const CollectiveCall call = call_of_test(GetParam().operation);
    for (int rank = 0; rank < ranks; ++rank) {
        std::size_t next = 0;
        const int pieces = GetParam().pieces == Extent::one ? 1 : ranks;
        for (int index = 0; index < pieces; ++index) {
            const Piece piece = GetParam().piece(call, {rank, ranks, index});
            EXPECT_EQ(piece.start, next);
            for (std::size_t i = 0; i < piece.count; ++i, ++next) {
                const Element element{piece.source, piece.first + i};
                EXPECT_EQ(element, definition(GetParam().operation, rank, next));
            }
        }
        EXPECT_EQ(next, receive_elements(GetParam(), count, ranks));
    }
}

TEST(OperationsTest, alltoallv_takes_its_pieces_from_the_matrix) {
    const OperationRow& row = row_of(Operation::alltoallv);
    const CollectiveCall call = call_of_test(Operation::alltoallv);
    const auto piece = [&](int rank, int sender) {
        const Piece found = row.piece(call, {rank, ranks, sender});
        return std::vector<std::size_t>{found.first, found.start, found.count};
    };
    EXPECT_EQ(piece(0, 1), (std::vector<std::size_t>{0, 1, 4}));
    EXPECT_EQ(piece(1, 0), (std::vector<std::size_t>{1, 0, 2}));
    EXPECT_EQ(piece(3, 2), (std::vector<std::size_t>{2, 4, 2}));
    EXPECT_EQ(algbw_elements(call, ranks), 6u);
}

TEST(OperationsTest, a_hypercube_sends_all_but_its_own_and_takes_a_power_of_two) {
    const OperationRow& row = row_of(Operation::hypercube);
    EXPECT_EQ(algbw_elements(call_of_test(Operation::hypercube), 4), 18u);
    EXPECT_EQ(obstacle(row, 4), "");
    EXPECT_EQ(obstacle(row, 1), "");
    EXPECT_EQ(obstacle(row, 6), "hypercube takes a power of two of ranks, not 6");
}

/// The table in nccl-tests' doc/PERFORMANCE.md.
TEST_P(OperationTest, has_the_bus_factor_of_nccl_tests) {
    const std::map<Operation, double> on_8_ranks{{Operation::all_reduce, 1.75},
                                                 {Operation::all_gather, 0.875},
                                                 {Operation::reduce_scatter, 0.875},
                                                 {Operation::broadcast, 1},
                                                 {Operation::reduce, 1},
                                                 {Operation::alltoall, 0.875},
                                                 {Operation::alltoallv, 0.875},
                                                 {Operation::gather, 0.875},
                                                 {Operation::scatter, 0.875},
                                                 {Operation::sendrecv, 1},
                                                 {Operation::hypercube, 1}};
    EXPECT_DOUBLE_EQ(GetParam().bus_factor(8), on_8_ranks.at(GetParam().operation));
    EXPECT_GE(GetParam().bus_factor(1), 0);
}

TEST(OperationsTest, those_with_one_sender_or_one_receiver_are_rooted) {
    const std::set<Operation> rooted{Operation::broadcast, Operation::reduce, Operation::gather,
                                     Operation::scatter};
    for (const OperationRow& row : operations())
        EXPECT_EQ(is_rooted(row), rooted.contains(row.operation)) << row.name;
}

TEST(OperationsTest, an_unknown_name_is_refused) {
    EXPECT_THROW(find_operation("allreduce"), Error);
}

}  // namespace
}  // namespace railgauge
