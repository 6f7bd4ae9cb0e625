// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "measure/case.hpp"
#include "record/hdf5.hpp"

namespace railgauge {

/// Statuses of /cases, `cases` rows. @throws Error when the table is damaged
std::vector<CaseStatus> read_statuses(hid_t file, std::size_t cases);

/// The status a part says its case has, after checking that it is a whole part of this plan and
/// that its samples are there. @throws Error saying why the part cannot be used
CaseStatus read_part_status(const std::filesystem::path& path, const Case& planned,
                            const std::string& plan_id, std::size_t ranks);

/// Whether a case with this status need not be measured again.
bool is_final(CaseStatus status);

}  // namespace railgauge
