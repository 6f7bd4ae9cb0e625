// SPDX-License-Identifier: Apache-2.0
#include "collective/operations.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/names.hpp"
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
std::size_t at(int rank, std::size_t count) {
    return static_cast<std::size_t>(rank) * count;
}
Piece reduced(const CollectiveCall& call, const PieceQuestion& /*question*/) {
    return {reduced_over_ranks, 0, 0, call.count};
}
Piece own_part_reduced(const CollectiveCall& call, const PieceQuestion& question) {
    return {reduced_over_ranks, at(question.rank, call.count), 0, call.count};
}
Piece all_of_sender(const CollectiveCall& call, const PieceQuestion& question) {
    return {question.index, 0, at(question.index, call.count), call.count};
}
Piece own_part_of_sender(const CollectiveCall& call, const PieceQuestion& question) {
    return {question.index, at(question.rank, call.count), at(question.index, call.count),
            call.count};
}
Piece what_sender_has_for_it(const CollectiveCall& call, const PieceQuestion& question) {
    const auto sender = static_cast<std::size_t>(question.index);
    const auto receiver = static_cast<std::size_t>(question.rank);
    const CountMatrix& counts = *call.counts;
    return {question.index, counts.send_offset(sender, receiver),
            counts.receive_offset(sender, receiver), counts.count(sender, receiver)};
}
Piece all_of_root(const CollectiveCall& call, const PieceQuestion& /*question*/) {
    return {call.root, 0, 0, call.count};
}
Piece own_part_of_root(const CollectiveCall& call, const PieceQuestion& question) {
    return {call.root, at(question.rank, call.count), 0, call.count};
}
Piece all_of_neighbour(const CollectiveCall& call, const PieceQuestion& question) {
    return {(question.rank + question.ranks - 1) % question.ranks, 0, 0, call.count};
}

using enum Extent;
using enum Holders;
constexpr Reduces reduces = Reduces::yes;
constexpr Reduces moves = Reduces::no;
constexpr InPlace in_place = InPlace::yes;
constexpr InPlace out_only = InPlace::no;

// clang-format off
constexpr std::array<OperationRow, 11> table{{
    // operation                  name            send          receive       pieces        input       result      kind     place     bus factor         piece
    {Operation::all_reduce,     "all_reduce",     one,          one,          one,          every_rank, every_rank, reduces, in_place, twice_all_but_own, reduced},
    {Operation::all_gather,     "all_gather",     one,          one_per_rank, one_per_rank, every_rank, every_rank, moves,   in_place, all_but_own,       all_of_sender},
    {Operation::reduce_scatter, "reduce_scatter", one_per_rank, one,          one,          every_rank, every_rank, reduces, in_place, all_but_own,       own_part_reduced},
    {Operation::broadcast,      "broadcast",      one,          one,          one,          root,       every_rank, moves,   in_place, everything,        all_of_root},
    {Operation::reduce,         "reduce",         one,          one,          one,          every_rank, root,       reduces, in_place, everything,        reduced},
    {Operation::alltoall,       "alltoall",       one_per_rank, one_per_rank, one_per_rank, every_rank, every_rank, moves,   in_place, all_but_own,       own_part_of_sender},
    {Operation::alltoallv,      "alltoallv",      one,          one,          one_per_rank, every_rank, every_rank, moves,   out_only, all_but_own,       what_sender_has_for_it},
    {Operation::gather,         "gather",         one,          one_per_rank, one_per_rank, every_rank, root,       moves,   in_place, all_but_own,       all_of_sender},
    {Operation::scatter,        "scatter",        one_per_rank, one,          one,          root,       every_rank, moves,   in_place, all_but_own,       own_part_of_root},
    {Operation::sendrecv,       "sendrecv",       one,          one,          one,          every_rank, every_rank, moves,   out_only, everything,        all_of_neighbour},
    {Operation::hypercube,      "hypercube",      one,          one_per_rank, one_per_rank, every_rank, every_rank, moves,   in_place, everything,        all_of_sender},
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
    return row_named(table, name, "operation");
}

std::vector<std::string> operation_names() {
    return names_of(table);
}

bool is_rooted(const OperationRow& row) {
    return row.input == Holders::root || row.result == Holders::root;
}

std::string obstacle(const OperationRow& row, int ranks) {
    const bool needs_power_of_two = row.operation == Operation::hypercube;
    if (!needs_power_of_two || (ranks & (ranks - 1)) == 0) return {};
    return fmt::format("{} takes a power of two of ranks, not {}", row.name, ranks);
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

std::size_t algbw_elements(const CollectiveCall& call, int ranks) {
    if (call.operation == Operation::alltoallv) return call.counts->most();
    if (call.operation == Operation::hypercube) return at(ranks - 1, call.count);
    return larger_elements(row_of(call.operation), call.count, ranks);
}

std::size_t count_within(const OperationRow& row, std::uint64_t bytes, DataType type, int ranks) {
    return bytes / size_of(type) / larger_elements(row, 1, ranks);
}

}  // namespace railgauge
