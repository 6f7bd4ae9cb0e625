// SPDX-License-Identifier: Apache-2.0
#include "program/campaign.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "measure/runner.hpp"
#include "program/memory_share.hpp"
#include "system/observers.hpp"

namespace railgauge {
namespace {

/// Where this rank spools a window's samples: $TMPDIR, else a folder that is no memory disk.
std::filesystem::path spool_folder() {
    const char* chosen = std::getenv("TMPDIR");
    return chosen != nullptr ? chosen : "/var/tmp";
}

/// @return whether stdout took it
bool print_line(const std::string& text) {
    return std::fputs((text + "\n").c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

Workload& base_of(const AnyWorkload& workload) {
    return std::visit([](const auto& pointer) -> Workload& { return *pointer; }, workload);
}

/// Samples stay in memory until the case is recorded; an overcommitting kernel would only notice
/// when they are touched, and kill a process.
void require_sample_memory(const Job& job, const Workload& workload, std::size_t samples) {
    const auto memory = make_host_memory();
    const MemoryShare share = agree_memory_share(job, *memory);
    // start_ns and elapsed_ns; extra columns are kept by the workload, too.
    const std::uint64_t columns = 2 + 2 * workload.extra_columns().size();
    agreed(job.team, [&] {
        if (samples <= share.bytes / (columns * sizeof(Cell))) return;
        throw Error(ExitCode::usage, fmt::format("{} samples do not fit into memory", samples),
                    fmt::format("a node with {} ranks has {} for each", share.ranks_per_node,
                                format_bytes(share.bytes)),
                    "use fewer --iterations or --max-samples");
    });
}

}  // namespace

Campaign::Campaign(const Job& job, Progress& progress, const CommandLine& line, CommonClock& clock,
                   Program& program, Recorder& recorder)
    : job_(job),
      progress_(progress),
      line_(line),
      clock_(clock),
      program_(program),
      recorder_(recorder) {
    agreed(job.team, [&] { workload_ = program.make_workload(job); });
    base_of(workload_).set_sign_of_life([this] { progress_.tick(); });
    if (program.kind() == WorkloadKind::iteration) {
        require_sample_memory(job, base_of(workload_), line.measure.make_stop_rule()->capacity());
    }
    const auto rank = static_cast<std::size_t>(job.team.rank());
    if (job.placement.ranks[rank].local_rank == 0) observers_ = make_default_observers();
}

ExitCode Campaign::run(const std::vector<Case>& plan) {
    const bool is_root = job_.team.rank() == 0;
    const auto is_missing = [this](const Case& c) { return !recorder_.is_finished(c.id()); };
    const auto missing = std::count_if(plan.begin(), plan.end(), is_missing);
    ProgressLine progress_line(static_cast<std::size_t>(missing), monotonic_now_ns());
    std::size_t measured = 0;
    if (recorder_.found_wrong()) worst_ = ExitCode::wrong_data;
    bool has_table = !is_root || print_line(program_.table_header());
    for (const Case& c : plan) {
        if (!is_missing(c)) continue;
        if (is_root) progress_line.show(measured++, c.name(), monotonic_now_ns());
        const CaseResult result = measure(c);
        if (!is_root) continue;
        progress_line.clear();
        has_table &=
            print_line(program_.table_row(c, result, times_.summarise(result.ops_per_sample)));
    }
    if (!has_table) {
        log_root(
            "the table could not be written to stdout; the run has everything, see railgauge show");
        if (worst_ == ExitCode::done) worst_ = ExitCode::library;
    }
    base_of(workload_).close();
    return worst_;
}

CaseResult Campaign::measure(const Case& c) {
    for (const auto& observer : observers_)
        observer->before();
    times_.reset();
    clock_.keep();
    return std::visit([&](const auto& workload) { return run(c, *workload); }, workload_);
}

CaseResult Campaign::run(const Case& c, IterationWorkload& workload_of_all) {
    IterationWorkload& workload = workload_of_all.serving(c);
    RunnerOptions options = line_.measure.runner_options();
    options.clock_offset_ns = clock_.offset().offset_ns;
    const auto rule = line_.measure.make_stop_rule();
    Runner runner(job_.team, progress_, monotonic_clock, options);
    return keep(c, runner.run(c, workload, *rule, samples_), workload, samples_);
}

CaseResult Campaign::run(const Case& c, WindowWorkload& workload) {
    RunnerOptions options;
    options.clock_offset_ns = clock_.offset().offset_ns;
    SampleSink sink(spool_folder(), workload.columns());
    Runner runner(job_.team, progress_, monotonic_clock, options);
    const CaseResult result =
        runner.run(c, workload, line_.window.warmup_ns(), line_.window.duration_ns(), sink);
    return keep(c, result, workload, sink);
}

/// The table on stdout needs the times of all ranks' samples, and quantiles have no sum that the
/// ranks could make of their own; so these columns alone pass through rank 0 whoever writes, a
/// block at a time, and TimeCollector keeps no more than it may.
ColumnSet Campaign::heard() const {
    std::vector<std::string> names = program_.gathered_columns();
    names.emplace_back("elapsed_ns");
    return {std::move(names)};
}

CaseResult Campaign::keep(const Case& c, const CaseResult& result, const Workload& workload,
                          const SampleSource& samples) {
    progress_.set(Phase::record, c.id());
    const bool measured = result.status == CaseStatus::done || result.status == CaseStatus::wrong;
    Recorder::CaseRecord record{c,
                                result,
                                measured ? workload.group() : -1,
                                clock_.offset().offset_ns,
                                measured ? &samples : nullptr,
                                {},
                                {},
                                heard()};
    record.result.clock_error_ns = clock_.worst_error_ns();
    for (const auto& observer : observers_)
        observer->after(record.observations);
    record.on_gathered = [&](int rank, std::size_t column, std::span<const Cell> cells) {
        const std::string& name = samples.columns()[column].name;
        if (name == "elapsed_ns") times_.add(cells);
        program_.take_gathered(c, rank, name, cells);
    };
    CaseResult recorded = recorder_.record(record);
    if (result.status == CaseStatus::wrong) worst_ = ExitCode::wrong_data;
    if (result.status == CaseStatus::failed) {
        log_root("case {} failed: {}", c.name(), result.reason);
        if (worst_ == ExitCode::done) worst_ = ExitCode::library;
    }
    progress_.set(Phase::between, -1);
    return recorded;
}

}  // namespace railgauge
