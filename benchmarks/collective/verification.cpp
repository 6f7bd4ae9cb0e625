// SPDX-License-Identifier: Apache-2.0
#include "collective/verification.hpp"

#include <cstring>

#include "collective/operations.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

std::byte* element(void* buffer, const CollectiveCall& call, std::size_t index) {
    return static_cast<std::byte*>(buffer) + index * size_of(call.type);
}

/// Where this rank's input begins. In place, an operation that makes more than it takes finds it
/// where its result will be.
void* input_of(const CollectiveCall& call, const OperationRow& row, int rank) {
    if (call.place == Place::out) return const_cast<void*>(call.send);
    const bool grows = row.send == Extent::one && row.receive == Extent::one_per_rank;
    return element(call.receive, call, grows ? static_cast<std::size_t>(rank) * call.count : 0);
}

bool holds(Holders holders, int rank, int root) {
    return holders == Holders::every_rank || rank == root;
}

}  // namespace

void write_input(const CollectiveCall& call, Member member, std::uint64_t round, Pattern& pattern) {
    const OperationRow& row = row_of(call.operation);
    Pattern::poison(call.receive, buffer_bytes(call, member.ranks).receive);
    if (!holds(row.input, member.rank, call.root)) return;
    const std::size_t count = send_elements(row, call.count, member.ranks);
    pattern.write({member.rank, round, 0, count}, input_of(call, row, member.rank));
}

CheckTally check_result(const CollectiveCall& call, Member member, std::uint64_t round,
                        Pattern& pattern) {
    const OperationRow& row = row_of(call.operation);
    if (!holds(row.result, member.rank, call.root)) return {};
    const int chunks = row.receive == Extent::one ? 1 : member.ranks;
    CheckTally tally;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const Origin origin = row.origin({member.rank, chunk, call.root, call.count});
        const std::size_t start = static_cast<std::size_t>(chunk) * call.count;
        tally.checked += call.count;
        tally.wrong += pattern.count_wrong({origin.source, round, origin.first, call.count},
                                           element(call.receive, call, start));
    }
    return tally;
}

void settle_input(const CollectiveCall& call, Member member) {
    if (call.place == Place::out || call.reduce != ReduceOperation::sum) return;
    std::memset(call.receive, 0, buffer_bytes(call, member.ranks).receive);
}

}  // namespace railgauge
