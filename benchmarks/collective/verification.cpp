// SPDX-License-Identifier: Apache-2.0
#include "collective/verification.hpp"

#include "collective/operations.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

std::byte* element(void* buffer, const CollectiveCall& call, std::size_t index) {
    return static_cast<std::byte*>(buffer) + index * size_of(call.type);
}

/// Where in the one buffer of an in-place call the smaller of input and result lies, in elements:
/// at this rank's place in the larger.
std::size_t own_place(const CollectiveCall& call, int rank) {
    return static_cast<std::size_t>(rank) * call.count;
}

/// Where this rank's input begins. In place, an operation that makes more than it takes finds it
/// where its result will be.
void* input_of(const CollectiveCall& call, const OperationRow& row, int rank) {
    if (call.place == Place::out) return const_cast<void*>(call.send);
    const bool grows = row.send == Extent::one && row.receive == Extent::one_per_rank;
    return element(call.receive, call, grows ? own_place(call, rank) : 0);
}

/// Where this rank's result begins: at the start, but what the root of an in-place scatter keeps
/// lies where it was, and so does with some libraries the result of an in-place reduce_scatter.
void* result_of(const CollectiveCall& call, Member member) {
    const bool is_kept = call.operation == Operation::scatter && member.rank == call.root;
    const bool is_reduced =
        call.operation == Operation::reduce_scatter && member.results == ResultPlace::own_place;
    const bool stays = call.place == Place::in && (is_kept || is_reduced);
    return element(call.receive, call, stays ? own_place(call, member.rank) : 0);
}

bool holds(Holders holders, int rank, int root) {
    return holders == Holders::every_rank || rank == root;
}

}  // namespace

void write_input(const CollectiveCall& call, Member member, std::uint64_t round, Pattern& pattern) {
    const OperationRow& row = row_of(call.operation);
    pattern.poison(call.receive, buffer_bytes(call, member.ranks).receive);
    if (!holds(row.input, member.rank, call.root)) return;
    const std::size_t count = send_elements(row, call.count, member.ranks);
    pattern.write({member.rank, round, 0, count}, input_of(call, row, member.rank));
}

CheckTally check_result(const CollectiveCall& call, Member member, std::uint64_t round,
                        Pattern& pattern) {
    const OperationRow& row = row_of(call.operation);
    if (!holds(row.result, member.rank, call.root)) return {};
    const int pieces = row.pieces == Extent::one ? 1 : member.ranks;
    auto* const result = static_cast<std::byte*>(result_of(call, member));
    CheckTally tally;
    for (int index = 0; index < pieces; ++index) {
        const Piece piece = row.piece(call, {member.rank, member.ranks, index});
        tally.checked += piece.count;
        tally.wrong += pattern.count_wrong({piece.source, round, piece.first, piece.count},
                                           element(result, call, piece.start));
    }
    return tally;
}

void settle_input(const CollectiveCall& call, Member member, Pattern& pattern) {
    if (call.place == Place::out || call.reduce == ReduceOperation::none) return;
    pattern.clear(call.receive, buffer_bytes(call, member.ranks).receive);
}

}  // namespace railgauge
