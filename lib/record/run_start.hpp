// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "measure/case.hpp"
#include "record/parts_folder.hpp"
#include "record/run_context.hpp"

namespace railgauge {

/// A case's part: `missing` also when it is damaged, `finished` when an earlier attempt measured
/// the case to its end.
enum class PartState : std::uint8_t { missing, present, finished };

/// A run that is ready to take cases.
struct RunStart {
    std::unique_ptr<PartsFolder> folder;
    std::vector<PartState> parts;  ///< per case
    std::int64_t shift_ns = 0;     ///< from this job's common clock to the run's
    bool found_wrong = false;      ///< an earlier attempt finished a case with wrong data
    bool is_complete = false;      ///< `<out>` is there and nothing is left to measure
};

/// Rank 0's part of starting a run: refuses, clears or takes up what exists, else writes the
/// header.
/// @throws Error(usage) when what exists may not be replaced or cannot be taken up;
///         Error(library) when it is damaged or the folder cannot be written
RunStart start_run(const RunPaths& paths, ExistingRun existing, const RunContext& context,
                   const std::vector<Case>& plan);

}  // namespace railgauge
