// SPDX-License-Identifier: Apache-2.0
#include "record/consolidation.hpp"

#include <fmt/format.h>

#include "record/archive.hpp"
#include "record/output_file.hpp"
#include "record/table.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

/// Groups of which every case may have a member.
constexpr const char* case_parents[] = {"samples", "checks", "counters", "series"};

void copy_member(hid_t part, hid_t run, const char* parent, const std::string& name) {
    if (!hdf5::has_member(part, parent)) return;
    const hdf5::Group from = hdf5::open_group(part, parent);
    if (!hdf5::has_member(from.get(), name)) return;
    const hdf5::Group to = hdf5::has_member(run, parent) ? hdf5::open_group(run, parent)
                                                         : hdf5::create_group(run, parent);
    hdf5::check(H5Ocopy(from.get(), name.c_str(), to.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                run, "write", fmt::format("{}/{}", parent, name));
}

}  // namespace

void consolidate(const RunPaths& paths, const std::vector<PartState>& parts,
                 const std::string& finished_utc, const std::function<void()>& tick) {
    OutputFile run(paths.out(), paths.header(), tick);
    Table rows = read_table(run.id(), "cases", parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int id = static_cast<int>(i);
        if (parts[i] == PartState::missing) continue;
        const hdf5::File part = hdf5::open_for_reading(paths.part(id));
        rows.replace_row(i, read_table(part.get(), "cases", 1));
        for (const char* parent : case_parents) {
            copy_member(part.get(), run.id(), parent, case_group(id));
        }
        run.check_disk();
    }
    hdf5::check(H5Ldelete(run.id(), "cases", H5P_DEFAULT), run.id(), "replace", "cases");
    write_table(run.id(), "cases", rows);
    write_archive(run.id(), paths.archive());
    hdf5::write_attribute(run.id(), "finished_utc", finished_utc);
    run.commit();
}

}  // namespace railgauge
