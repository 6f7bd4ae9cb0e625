// SPDX-License-Identifier: Apache-2.0
#include "record/run_start.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "record/case_table.hpp"
#include "record/hdf5.hpp"
#include "record/run_header.hpp"
#include "record/run_paths.hpp"
#include "record/table.hpp"
#include "record/values.hpp"
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

template <class T>
const std::vector<T>& cells(hid_t file, const Table& table, const std::string& name) {
    const Table::Column* column = table.find(name);
    const auto* found = column == nullptr ? nullptr : std::get_if<std::vector<T>>(&column->cells);
    if (found == nullptr) hdf5::throw_damaged(file, "cases", fmt::format("it lacks {}", name));
    return *found;
}

std::vector<CaseStatus> statuses(hid_t file, const Table& table) {
    std::vector<CaseStatus> result;
    for (const std::string& text : cells<std::string>(file, table, "status")) {
        result.push_back(parse_case_status(text));
    }
    return result;
}

void require_samples(hid_t file, int case_id, std::uint64_t samples, std::uint64_t ranks) {
    const hdf5::Group parent = hdf5::open_group(file, "samples");
    const hdf5::Group group = hdf5::open_group(parent.get(), case_group(case_id));
    const std::vector<std::uint64_t> offsets = hdf5::read_vector(group.get(), "offsets", ranks + 1);
    if (offsets.back() != samples) {
        hdf5::throw_damaged(file, "samples", "their number is not that of the case");
    }
    hdf5::require_length(group.get(), "start_ns", samples);
    hdf5::require_length(group.get(), "elapsed_ns", samples);
}

/// `<out>` of an earlier run. Its failed cases count as measured.
/// @return its statuses
std::vector<CaseStatus> require_complete(const fs::path& out, const RunContext& context,
                                         const std::vector<Case>& plan) {
    const hdf5::File file = hdf5::open_for_reading(out);
    read_header(file.get(), context);
    std::vector<CaseStatus> status =
        statuses(file.get(), read_table(file.get(), "cases", plan.size()));
    const auto missing = std::count_if(status.begin(), status.end(), [](CaseStatus s) {
        return s == CaseStatus::planned || s == CaseStatus::expired;
    });
    if (missing == 0) return status;
    refuse(out,
           fmt::format("{} of its {} cases were not measured, and a packed run cannot be taken up",
                       missing, plan.size()),
           "measure again with --overwrite or choose another --out");
}

/// The status a part says its case has, after checking that it is a whole part of this plan and
/// that its samples are there. @throws Error saying why the part cannot be used
CaseStatus read_part_status(const std::filesystem::path& path, const Case& planned,
                            const std::string& plan_id, std::size_t ranks) {
    const hdf5::File file = hdf5::open_for_reading(path);
    require_same_plan(file.get(), plan_id);
    const Table row = read_table(file.get(), "cases", 1);
    if (cells<std::int32_t>(file.get(), row, "id").front() != planned.id() ||
        cells<std::string>(file.get(), row, "name").front() != planned.name()) {
        hdf5::throw_damaged(file.get(), "cases", "it tells of another case");
    }
    const std::uint64_t samples = cells<std::uint64_t>(file.get(), row, "samples").front();
    if (samples > 0) require_samples(file.get(), planned.id(), samples, ranks);
    const CaseStatus status = statuses(file.get(), row).front();
    if (status == CaseStatus::planned) {
        hdf5::throw_damaged(file.get(), "cases", "its case was never measured");
    }
    return status;
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

/// Whether a case with this status need not be measured again.
bool is_final(CaseStatus status) {
    return status == CaseStatus::done || status == CaseStatus::wrong ||
           status == CaseStatus::skipped;
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
