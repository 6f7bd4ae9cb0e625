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
#include "nccl/dumps.hpp"
#include "nccl/watch.hpp"
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
                       [](const Case& c) { return c.text("operation") == "alltoallv"; });
}

}  // namespace

LibraryWatch CollectiveProgram::library_watch() const {
    if (options_.backend != "nccl") return {};
    return nccl_watch();
}

PlannedGroups CollectiveProgram::planned_groups(const Placement& placement) const {
    PlannedGroups planned;
    planned.ranks = groups_.ranks;
    if (options_.groups == "alone") planned.active.clear();
    if (options_.groups == "together") return planned;
    for (const int number : groups_.numbers)
        planned.active.push_back({group_name(options_.split, number, placement), number});
    return planned;
}

std::vector<Case> CollectiveProgram::plan(const Job& job) {
    options_.validate();
    require_links(job.placement);
    require_backend(options_.backend, options_.memory_name());
    make_memory_space(options_.memory_name());  // throws when the build lacks it
    groups_ = make_groups(options_.split, job.placement);
    for (const int number : groups_.numbers)
        group_names_[number] = group_name(options_.split, number, job.placement);
    CollectivePlan plan = plan_collectives(options_, planned_groups(job.placement));
    for (const std::string& remark : plan.left_out)
        log_text_root(remark);
    cases_ = std::move(plan.cases);
    // As many as the ranks squared: only for those that use them.
    if (has_alltoallv(cases_)) weights_ = options_.weights(groups_.ranks);
    return cases_;
}

void CollectiveProgram::prepare_archive(const std::filesystem::path& folder) {
    if (options_.backend == "nccl") arm_dumps(folder);
}

AnyWorkload CollectiveProgram::make_workload(const Job& job) {
    auto memory = make_memory_space(options_.memory_name());
    const MemoryShare share = agree_memory_share(job, *memory);
    // Each rank read the file; rank 0's counts, should they differ.
    check_mpi(
        MPI_Bcast(weights_.data(), static_cast<int>(weights_.size()), MPI_DOUBLE, 0, job.comm),
        "sharing the spread of alltoallv");
    const int group = groups_.of_rank.at(static_cast<std::size_t>(job.team.rank()));
    auto collectives = make_collectives(options_.backend, {job.comm, group, options_.nccl});
    return std::make_unique<CollectiveWorkload>(
        std::move(collectives), std::move(memory), cases_,
        CollectiveWorkload::Setting{{group, groups_.ranks}, options_.manner, share, weights_});
}

void CollectiveProgram::take_gathered(const Case& /*c*/, int rank, std::string_view column,
                                      std::span<const Cell> cells) {
    if (is_split() && column == "elapsed_ns") group_times_.add(rank, cells);
}

std::string CollectiveProgram::table_header() const {
    return collective_table_header(is_split() ? GroupColumn::shown : GroupColumn::hidden);
}

/// The result with the checks of one group's ranks.
CaseResult CollectiveProgram::of_group(CaseResult result, int group) const {
    result.checked_elements = 0;
    result.wrong_elements = 0;
    for (std::size_t rank = 0; rank < result.rank_checks.size(); ++rank) {
        if (groups_.of_rank[rank] != group) continue;
        result.checked_elements += result.rank_checks[rank].checked;
        result.wrong_elements += result.rank_checks[rank].wrong;
    }
    return result;
}

std::string CollectiveProgram::table_row(const Case& c, const CaseResult& result,
                                         const TimeSummary& times) {
    if (!is_split()) return collective_table_row(c, result, times);
    std::string rows;
    for (const auto& [group, summary] : group_times_.take(result.ops_per_sample)) {
        if (!rows.empty()) rows += '\n';
        rows += collective_table_row(c, of_group(result, group), summary, group_names_.at(group));
    }
    return rows.empty() ? collective_table_row(c, result, times, c.text("active")) : rows;
}

}  // namespace railgauge
