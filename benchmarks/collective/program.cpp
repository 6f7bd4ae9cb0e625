// SPDX-License-Identifier: Apache-2.0
#include "collective/program.hpp"

#include <algorithm>
#include <limits>

#include "base/log.hpp"
#include "collective/plan.hpp"
#include "collective/table.hpp"
#include "collective/workload.hpp"

namespace railgauge {
namespace {

/// What the node that has least memory per rank can give each of its ranks.
MemoryShare agree_memory_share(const Job& job, const MemorySpace& memory) {
    const int node = job.placement.ranks.at(static_cast<std::size_t>(job.team.rank())).node;
    const std::int64_t ranks = job.placement.nodes.at(static_cast<std::size_t>(node)).ranks;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto own =
        static_cast<std::int64_t>(std::min(memory.available_bytes(static_cast<int>(ranks)), most));
    const std::int64_t least = -job.team.max(-own);
    const std::int64_t least_ranks = job.team.max(own == least ? ranks : 0);
    return {static_cast<std::uint64_t>(least), static_cast<int>(least_ranks)};
}

}  // namespace

std::vector<Case> CollectiveProgram::plan(const Job& job) {
    require_backend(options_.backend);
    make_memory_space(options_.memory);  // throws when the build lacks it
    CollectivePlan plan = plan_collectives(options_, job.team.size());
    for (const std::string& remark : plan.left_out)
        log_text_root(remark);
    cases_ = std::move(plan.cases);
    return cases_;
}

AnyWorkload CollectiveProgram::make_workload(const Job& job) {
    auto memory = make_memory_space(options_.memory);
    const MemoryShare share = agree_memory_share(job, *memory);
    return std::make_unique<CollectiveWorkload>(make_collectives(options_.backend, job.comm),
                                                std::move(memory), cases_, share);
}

std::string CollectiveProgram::table_header() const {
    return collective_table_header();
}

std::string CollectiveProgram::table_row(const Case& c, const CaseResult& result,
                                         const TimeSummary& times) const {
    return collective_table_row(c, result, times);
}

}  // namespace railgauge
