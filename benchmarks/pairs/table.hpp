// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measure/case.hpp"
#include "pairs/pair_times.hpp"

namespace railgauge {

/// The table on stdout; no line ends with a line break.
std::string pairs_table_header();
std::string pairs_table_row(const Case& c, const CaseResult& result, const PairSummary& summary);

}  // namespace railgauge
