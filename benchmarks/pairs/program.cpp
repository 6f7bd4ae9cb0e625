// SPDX-License-Identifier: Apache-2.0
#include "pairs/program.hpp"

#include "base/log.hpp"
#include "nccl/watch.hpp"
#include "pairs/table.hpp"
#include "pairs/workload.hpp"
#include "program/memory_share.hpp"

namespace railgauge {

LibraryWatch PairsProgram::library_watch() const {
    if (options_.backend != "nccl") return {};
    return nccl_watch();
}

std::vector<Case> PairsProgram::plan(const Job& job) {
    options_.validate();
    fleet_ = make_fleet(job.placement, job.site);
    plan_ = plan_pairs(options_, *fleet_, job.site);
    for (const std::string& line : describe_unevenness(*fleet_, job.site))
        log_text_root(line);
    return plan_.cases;
}

AnyWorkload PairsProgram::make_workload(const Job& job) {
    const std::vector<std::string> names = options_.memory_names();
    std::vector<PairsMemory> memories;
    for (const std::string& name : names) {
        auto space = make_memory_space(name);
        MemoryShare share = agree_memory_share(job, *space);
        share.bytes /= names.size();  // some are of the same host
        memories.push_back({std::move(space), share, nullptr});
    }
    const int rank = job.team.rank();
    return std::make_unique<PairsWorkload>(
        make_transport(options_.backend, job.comm, options_.fabric), std::move(memories), plan_,
        rank, fleet_->rail_of(rank), make_served_client(rank));
}

std::optional<ServedClient> PairsProgram::make_served_client(int rank) const {
    if (!is_served(options_)) return std::nullopt;
    return ServedClient(options_.served, rank);
}

std::vector<std::string> PairsProgram::gathered_columns() const {
    return {std::string(acknowledged_column)};
}

void PairsProgram::take_gathered(const Case& c, int rank, std::string_view column,
                                 std::span<const Cell> cells) {
    if (column != acknowledged_column) return;
    if (times_.case_id() != c.id()) times_.begin(c.id());
    times_.add(rank, cells);
}

std::string PairsProgram::table_header() const {
    return pairs_table_header();
}

std::string PairsProgram::table_row(const Case& c, const CaseResult& result,
                                    const TimeSummary& /*times*/) {
    const PairTimes none;
    const PairTimes& times = times_.case_id() == c.id() ? times_ : none;
    return pairs_table_row(
        c, result,
        times.summarise(call_of(c), result.ops_per_sample, plan_.matching(c.id()), *fleet_));
}

}  // namespace railgauge
