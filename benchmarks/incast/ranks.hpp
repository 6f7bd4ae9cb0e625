// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "pairs/fleet.hpp"

namespace railgauge {

using RankFilter = std::function<bool(int rank)>;

bool contains(const std::vector<int>& ranks, int rank);

std::vector<int> filtered(const std::vector<int>& ranks, const RankFilter& filter);

/// Ranks with a link, the first lane of each rail of every node before the second of any.
std::vector<int> live_ranks(const Fleet& fleet);

/// Whether the two use the same NIC.
bool share_nic(int a, int b, const Fleet& fleet);

}  // namespace railgauge
