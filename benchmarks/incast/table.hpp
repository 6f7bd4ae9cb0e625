// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "incast/incast_times.hpp"
#include "measure/case.hpp"

namespace railgauge {

/// The table on stdout; no line ends with a line break.
std::string incast_table_header();
std::string incast_table_row(const Case& c, const CaseResult& result, const IncastSummary& summary);

}  // namespace railgauge
