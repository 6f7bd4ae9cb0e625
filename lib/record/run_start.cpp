// SPDX-License-Identifier: Apache-2.0
#include "record/run_start.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "record/case_table.hpp"
#include "record/finished_case.hpp"
#include "record/hdf5.hpp"
#include "record/run_header.hpp"
#include "record/write_guard.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& what, const std::string& why, const char* remedy) {
    throw Error(ExitCode::usage, fmt::format("'{}' exists", what.native()), why, remedy);
}

/// Whatever lies under the name of the run is replaced at its end: better refused now.
void require_replaceable(const fs::path& out) {
    constexpr const char* remedy = "remove it or choose another --out";
    std::error_code error;
    if (!fs::is_regular_file(out, error)) refuse(out, "it is no regular file", remedy);
    const bool is_empty = fs::file_size(out, error) == 0;
    if (!is_empty && !hdf5::is_hdf5(out)) refuse(out, "it is no run and would be lost", remedy);
}

/// `<out>` of an earlier run. Its failed cases count as measured.
/// @return its statuses
std::vector<CaseStatus> require_complete(const fs::path& out, const RunContext& context,
                                         const std::vector<Case>& plan) {
    const hdf5::File file = hdf5::open_for_reading(out);
    read_header(file.get(), context);
    std::vector<CaseStatus> status = read_statuses(file.get(), plan.size());
    const auto missing = std::count_if(status.begin(), status.end(), [](CaseStatus s) {
        return s == CaseStatus::planned || s == CaseStatus::expired;
    });
    if (missing == 0) return status;
    refuse(out,
           fmt::format("{} of its {} cases were not measured, and a packed run cannot be taken up",
                       missing, plan.size()),
           "measure again with --overwrite or choose another --out");
}

/// What the part of a case says; planned when there is none that can be used.
CaseStatus status_of(const fs::path& part, const Case& planned, const RunContext& context) {
    std::error_code error;
    if (!fs::exists(part, error)) return CaseStatus::planned;
    try {
        return read_part_status(part, planned, context.plan_id, context.ranks.size());
    } catch (const std::exception& problem) {  // a hostile file may also ask for too much memory
        log_root("case {} is measured again: {}", planned.name(), problem.what());
        return CaseStatus::planned;
    }
}

PartState state_of(CaseStatus status) {
    if (status == CaseStatus::planned) return PartState::missing;
    return is_final(status) ? PartState::finished : PartState::present;
}

void take_up(RunStart& start, const RunPaths& paths, const RunContext& context,
             const std::vector<Case>& plan) {
    const ResumedHeader header = read_header(hdf5::open_for_reading(paths.header()).get(), context);
    start.folder->remove_leftovers();
    start.shift_ns = context.clock_unix_ns - header.clock_unix_ns;
    for (const Case& c : plan) {
        const CaseStatus status = status_of(paths.part(c.id()), c, context);
        start.parts[static_cast<std::size_t>(c.id())] = state_of(status);
        start.found_wrong |= status == CaseStatus::wrong;
    }
    log_root("resuming '{}': {} of {} cases are measured", paths.out().native(),
             std::count(start.parts.begin(), start.parts.end(), PartState::finished), plan.size());
}

void begin(RunStart& start, const RunPaths& paths, const RunContext& context,
           const std::vector<Case>& plan) {
    start.folder->clear();
    write_header(paths.header(), context, CaseTable(plan).planned(plan));
}

}  // namespace

RunStart start_run(const RunPaths& paths, ExistingRun existing, const RunContext& context,
                   const std::vector<Case>& plan) {
    const WriteGuard guard;
    std::error_code error;
    const bool has_out = fs::exists(fs::symlink_status(paths.out(), error));
    if (has_out && existing == ExistingRun::refuse) {
        refuse(paths.out(), "a run is never replaced unasked",
               "use --overwrite, --resume or another --out");
    }
    if (has_out) require_replaceable(paths.out());
    RunStart start{.folder = std::make_unique<PartsFolder>(paths),
                   .parts = std::vector<PartState>(plan.size(), PartState::missing)};
    const bool has_parts = start.folder->has_run();
    if (has_parts && existing == ExistingRun::refuse) {
        refuse(paths.folder(), "an interrupted run is never replaced unasked",
               "use --resume, --overwrite or another --out");
    }
    if (has_parts && existing == ExistingRun::resume) {
        take_up(start, paths, context, plan);
    } else if (has_out && existing == ExistingRun::resume) {
        const std::vector<CaseStatus> status = require_complete(paths.out(), context, plan);
        start.found_wrong =
            std::find(status.begin(), status.end(), CaseStatus::wrong) != status.end();
        std::fill(start.parts.begin(), start.parts.end(), PartState::finished);
        start.is_complete = true;
    } else {
        begin(start, paths, context, plan);
    }
    return start;
}

}  // namespace railgauge
