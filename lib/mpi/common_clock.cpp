// SPDX-License-Identifier: Apache-2.0
#include "mpi/common_clock.hpp"

#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mpi/check.hpp"

namespace railgauge {
namespace {

constexpr int exchanges = 40;
constexpr int tag = 17;
constexpr const char* synchronising = "synchronising clocks";

/// Lowest rank of every kernel but rank 0's, and of each rank the leader of its kernel.
struct KernelLeaders {
    std::vector<int> others;
    std::vector<int> of_rank;
};

KernelLeaders find_leaders(const Placement& placement) {
    KernelLeaders leaders;
    std::map<std::string, int> first;
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
        const Placement::Node& node =
            placement.nodes[static_cast<std::size_t>(placement.ranks[rank].node)];
        // An unreadable boot id tells nothing: such a node counts as a kernel of its own.
        const std::string kernel = node.boot_id == "unknown" ? "host " + node.host : node.boot_id;
        const auto [entry, is_new] = first.emplace(kernel, static_cast<int>(rank));
        if (is_new && rank != 0) leaders.others.push_back(static_cast<int>(rank));
        leaders.of_rank.push_back(entry->second);
    }
    return leaders;
}

void answer(MPI_Comm comm, Clock clock) {
    for (int i = 0; i < exchanges; ++i) {
        std::int64_t time_ns = 0;
        check_mpi(MPI_Recv(&time_ns, 1, MPI_INT64_T, 0, tag, comm, MPI_STATUS_IGNORE),
                  synchronising);
        time_ns = clock.now_ns();
        check_mpi(MPI_Send(&time_ns, 1, MPI_INT64_T, 0, tag, comm), synchronising);
    }
}

ClockOffset ask(MPI_Comm comm, int leader, Clock clock) {
    ClockOffset best{0, std::numeric_limits<std::int64_t>::max()};
    for (int i = 0; i < exchanges; ++i) {
        const std::int64_t sent_ns = clock.now_ns();
        std::int64_t theirs_ns = sent_ns;
        check_mpi(MPI_Send(&theirs_ns, 1, MPI_INT64_T, leader, tag, comm), synchronising);
        check_mpi(MPI_Recv(&theirs_ns, 1, MPI_INT64_T, leader, tag, comm, MPI_STATUS_IGNORE),
                  synchronising);
        const std::int64_t received_ns = clock.now_ns();
        const std::int64_t error_ns = (received_ns - sent_ns + 1) / 2;
        if (error_ns < best.error_ns)
            best = {sent_ns + (received_ns - sent_ns) / 2 - theirs_ns, error_ns};
    }
    return best;
}

}  // namespace

ClockOffset synchronise_clocks(MPI_Comm comm, const Placement& placement, Clock clock) {
    int rank = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), "asking for a rank");
    const KernelLeaders leaders = find_leaders(placement);
    std::vector<std::array<std::int64_t, 2>> offsets(placement.ranks.size(), {0, 0});
    for (const int leader : leaders.others) {
        if (rank == leader) answer(comm, clock);
        if (rank != 0) continue;
        const ClockOffset offset = ask(comm, leader, clock);
        offsets[static_cast<std::size_t>(leader)] = {offset.offset_ns, offset.error_ns};
    }
    check_mpi(MPI_Bcast(offsets.data(), static_cast<int>(2 * offsets.size()), MPI_INT64_T, 0, comm),
              synchronising);
    const auto& mine =
        offsets[static_cast<std::size_t>(leaders.of_rank[static_cast<std::size_t>(rank)])];
    return {mine[0], mine[1]};
}

}  // namespace railgauge
