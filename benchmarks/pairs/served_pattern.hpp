// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pairs/fleet.hpp"
#include "pairs/matching.hpp"
#include "pairs/options.hpp"

namespace railgauge {

/// Every rank that has a link with the receiver outside the job: by --rails all at once, or each
/// rank alone, one round for each, and then all. Pure.
std::vector<Matching> served(const PairsOptions& options, const Fleet& fleet);

}  // namespace railgauge
