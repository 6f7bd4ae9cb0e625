// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measure/case.hpp"
#include "program/program.hpp"

namespace railgauge {

/// The table on stdout, with the columns nccl-tests' users know; no line ends with a line break.
std::string collective_table_header();
std::string collective_table_row(const Case& c, const CaseResult& result, const TimeSummary& times);

}  // namespace railgauge
