// SPDX-License-Identifier: Apache-2.0
#include "record/finished_case.hpp"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "record/run_header.hpp"
#include "record/run_paths.hpp"
#include "record/table.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

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

}  // namespace

std::vector<CaseStatus> read_statuses(hid_t file, std::size_t cases) {
    return statuses(file, read_table(file, "cases", cases));
}

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

bool is_final(CaseStatus status) {
    return status == CaseStatus::done || status == CaseStatus::wrong ||
           status == CaseStatus::skipped;
}

}  // namespace railgauge
