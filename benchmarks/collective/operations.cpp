// SPDX-License-Identifier: Apache-2.0
#include "collective/operations.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "collective/pattern.hpp"

namespace railgauge {
namespace {

// Bus factors (nccl-tests, doc/PERFORMANCE.md): what the slowest link carries for each byte of
// algbw.
double twice_all_but_own(int ranks) {
    return 2.0 * (ranks - 1) / ranks;
}
double all_but_own(int ranks) {
    return 1.0 * (ranks - 1) / ranks;
}
double everything(int /*ranks*/) {
    return 1.0;
}

// Where the elements of a result come from.
Origin reduced(const ChunkQuestion& /*question*/) {
    return {reduced_over_ranks, 0};
}
Origin own_part_reduced(const ChunkQuestion& question) {
    return {reduced_over_ranks, static_cast<std::size_t>(question.rank) * question.count};
}
Origin all_of_sender(const ChunkQuestion& question) {
    return {question.chunk, 0};
}
Origin own_part_of_sender(const ChunkQuestion& question) {
    return {question.chunk, static_cast<std::size_t>(question.rank) * question.count};
}
Origin all_of_root(const ChunkQuestion& question) {
    return {question.root, 0};
}

using enum Extent;
using enum Holders;

// clang-format off
constexpr std::array<OperationRow, 6> table{{
    // operation                  name            send          receive       input       result      reduces       bus factor         origin
    {Operation::all_reduce,     "all_reduce",     one,          one,          every_rank, every_rank, Reduces::yes, twice_all_but_own, reduced},
    {Operation::all_gather,     "all_gather",     one,          one_per_rank, every_rank, every_rank, Reduces::no,  all_but_own,       all_of_sender},
    {Operation::reduce_scatter, "reduce_scatter", one_per_rank, one,          every_rank, every_rank, Reduces::yes, all_but_own,       own_part_reduced},
    {Operation::broadcast,      "broadcast",      one,          one,          root,       every_rank, Reduces::no,  everything,        all_of_root},
    {Operation::reduce,         "reduce",         one,          one,          every_rank, root,       Reduces::yes, everything,        reduced},
    {Operation::alltoall,       "alltoall",       one_per_rank, one_per_rank, every_rank, every_rank, Reduces::no,  all_but_own,       own_part_of_sender},
}};
// clang-format on

std::size_t times(Extent extent, int ranks) {
    return extent == Extent::one ? 1 : static_cast<std::size_t>(ranks);
}

}  // namespace

std::span<const OperationRow> operations() {
    return table;
}

const OperationRow& row_of(Operation operation) {
    return table.at(static_cast<std::size_t>(operation));
}

const OperationRow& find_operation(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const OperationRow& row) { return row.name == name; });
    if (found != table.end()) return *found;
    throw Error(ExitCode::usage, fmt::format("operation '{}' is unknown", name),
                fmt::format("there are {}", fmt::join(operation_names(), ", ")),
                "use one of these, or all");
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    for (const OperationRow& row : table)
        names.emplace_back(row.name);
    return names;
}

bool is_rooted(const OperationRow& row) {
    return row.input == Holders::root || row.result == Holders::root;
}

std::size_t send_elements(const OperationRow& row, std::size_t count, int ranks) {
    return count * times(row.send, ranks);
}

std::size_t receive_elements(const OperationRow& row, std::size_t count, int ranks) {
    return count * times(row.receive, ranks);
}

std::size_t larger_elements(const OperationRow& row, std::size_t count, int ranks) {
    return std::max(send_elements(row, count, ranks), receive_elements(row, count, ranks));
}

std::size_t count_within(const OperationRow& row, std::uint64_t bytes, DataType type, int ranks) {
    return bytes / size_of(type) / larger_elements(row, 1, ranks);
}

}  // namespace railgauge
