// SPDX-License-Identifier: Apache-2.0
#include "collective/program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "collective/plan.hpp"
#include "collective/table.hpp"
#include "collective/workload.hpp"
#include "mpi/check.hpp"
#include "program/memory_share.hpp"

namespace railgauge {
namespace {

/// A collective goes at the pace of its slowest rank: one on another network measures that network.
void require_links(const Placement& placement) {
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
        if (!placement.ranks[rank].rail_is_dead) continue;
        throw Error(
            ExitCode::usage,
            fmt::format("the NIC {} of rank {} has no link", placement.ranks[rank].nic, rank),
            "a collective needs all ranks on their rails",
            "mend it, or start without --dead-rails idle and without this rank");
    }
}

bool has_alltoallv(const std::vector<Case>& cases) {
    return std::any_of(cases.begin(), cases.end(),
                       [](const Case& c) { return call_of(c).operation == Operation::alltoallv; });
}

}  // namespace

std::vector<Case> CollectiveProgram::plan(const Job& job) {
    require_links(job.placement);
    require_backend(options_.backend);
    make_memory_space(options_.memory);  // throws when the build lacks it
    CollectivePlan plan = plan_collectives(options_, job.team.size());
    for (const std::string& remark : plan.left_out)
        log_text_root(remark);
    cases_ = std::move(plan.cases);
    // As many as the ranks squared: only for those that use them.
    if (has_alltoallv(cases_)) weights_ = options_.weights(job.team.size());
    return cases_;
}

AnyWorkload CollectiveProgram::make_workload(const Job& job) {
    auto memory = make_memory_space(options_.memory);
    const MemoryShare share = agree_memory_share(job, *memory);
    // Each rank read the file; rank 0's counts, should they differ.
    check_mpi(
        MPI_Bcast(weights_.data(), static_cast<int>(weights_.size()), MPI_DOUBLE, 0, job.comm),
        "sharing the spread of alltoallv");
    return std::make_unique<CollectiveWorkload>(make_collectives(options_.backend, job.comm),
                                                std::move(memory), cases_, share, weights_);
}

std::string CollectiveProgram::table_header() const {
    return collective_table_header();
}

std::string CollectiveProgram::table_row(const Case& c, const CaseResult& result,
                                         const TimeSummary& times) const {
    return collective_table_row(c, result, times);
}

}  // namespace railgauge
