// SPDX-License-Identifier: Apache-2.0
#include "incast/program.hpp"

#include "base/log.hpp"
#include "incast/table.hpp"
#include "incast/workload.hpp"
#include "measure/sweep.hpp"
#include "program/memory_share.hpp"

namespace railgauge {

std::vector<Case> IncastProgram::plan(const Job& job) {
    require_transport(options_.backend, options_.memory);
    make_memory_space(options_.memory);  // throws when the build lacks it
    fleet_ = make_fleet(job.placement, job.site);
    plan_ = plan_incast(options_, *fleet_, job.site);
    for (const std::string& line : describe_unevenness(*fleet_, job.site))
        log_text_root(line);
    for (const std::string& line : plan_.remarks)
        log_text_root(line);
    return plan_.cases;
}

AnyWorkload IncastProgram::make_workload(const Job& job) {
    auto memory = make_memory_space(options_.memory);
    const MemoryShare share = agree_memory_share(job, *memory);
    return std::make_unique<IncastWorkload>(
        job.comm, make_transport(options_.backend, job.comm, options_.fabric), std::move(memory),
        plan_, *fleet_, share);
}

void IncastProgram::take_gathered(const Case& c, int rank, std::string_view column,
                                  std::span<const Cell> cells) {
    if (times_.case_id() != c.id())
        times_.begin(c.id(), plan_.cast(c.id()), c.integer("duration_ns"));
    times_.add(rank, column, cells);
}

std::string IncastProgram::table_header() const {
    return incast_table_header();
}

std::string IncastProgram::table_row(const Case& c, const CaseResult& result,
                                     const TimeSummary& /*times*/) {
    const IncastTimes none;
    const IncastTimes& times = times_.case_id() == c.id() ? times_ : none;
    return incast_table_row(c, result, times.summarise());
}

}  // namespace railgauge
