// SPDX-License-Identifier: Apache-2.0
#include "collective/program.hpp"

#include "base/log.hpp"
#include "collective/plan.hpp"
#include "collective/table.hpp"
#include "collective/workload.hpp"
#include "program/memory_share.hpp"

namespace railgauge {

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
