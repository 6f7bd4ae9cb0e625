// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "record/hdf5.hpp"
#include "record/run_context.hpp"
#include "record/table.hpp"

namespace railgauge {

/// Writes header.h5: the context, and `planned` as /cases.
void write_header(const std::filesystem::path& path, const RunContext& context,
                  const Table& planned);

/// Throws unless `file` is of this schema's major version and of the plan `plan_id`.
void require_same_plan(hid_t file, const std::string& plan_id);

/// What a resumed run takes over from its header.
struct ResumedHeader {
    std::int64_t clock_unix_ns = 0;
};

/// Reads the header of an interrupted run, or the root of a finished one.
/// @throws Error(usage) when it is of another schema, plan or version, or its ranks ran on other
/// nodes;
///         Error(library) when it is damaged
ResumedHeader read_header(hid_t file, const RunContext& context);

}  // namespace railgauge
