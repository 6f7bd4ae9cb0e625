// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/run_paths.hpp"
#include "record/run_start.hpp"

namespace railgauge {

/// Makes `<out>`, replacing what is there, from the header, the parts and the archive; a case whose
/// part is missing stays `planned`. The parts stay.
/// @param parts of all planned cases
/// @param tick called while it goes on, at least every MiB
/// @throws Error(library) when a part cannot be read or the disk is full; `<out>` is as it was
void consolidate(const RunPaths& paths, const std::vector<PartState>& parts,
                 const std::string& finished_utc, const std::function<void()>& tick);

}  // namespace railgauge
