// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mpi/board/roll.hpp"

namespace railgauge::board {

/// "rank 2", "ranks 3, 7-12"; of a long list the beginning: "ranks 0, 2, 4, ... (48 in all)".
/// @param ranks ascending
std::string format_ranks(const std::vector<int>& ranks);

/// As format_ranks, with the hosts: "ranks 3, 7-12 on n1, n4".
std::string format_ranks_on_hosts(const std::vector<int>& ranks,
                                  const std::vector<RankEntry>& entries);

/// The different hosts of `ranks`: "n1, n4"; "n1, n2, n3, n4, ... (12 in all)". Empty when not
/// known.
std::string format_hosts(const std::vector<int>& ranks, const std::vector<RankEntry>& entries);

}  // namespace railgauge::board
