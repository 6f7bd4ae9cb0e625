// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measure/case.hpp"
#include "program/program.hpp"

namespace railgauge {

/// The table on stdout, with the columns nccl-tests' users know; no line ends with a line break.
/// A run with groups has a column that names them.
enum class GroupColumn { hidden, shown };

std::string collective_table_header(GroupColumn group = GroupColumn::hidden);

/// @param group of the row; empty in a table without that column
std::string collective_table_row(const Case& c, const CaseResult& result, const TimeSummary& times,
                                 const std::string& group = "");

}  // namespace railgauge
