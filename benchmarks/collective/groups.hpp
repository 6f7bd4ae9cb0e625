// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mpi/placement.hpp"

namespace railgauge {

/// Which ranks work together in a case; all groups have the same number of ranks.
struct Groups {
    std::vector<int> of_rank;  ///< a group's number, by rank; -1 = in none
    std::vector<int> numbers;  ///< of the groups there are, ascending
    int ranks = 0;             ///< of each group
};

/// The split that makes one group of all ranks.
inline constexpr std::string_view no_split = "none";

/// "none": all ranks; "node": those of a node; "rail": those on a rail, over all nodes;
/// "local-index": those of the same local rank; "pair": ranks 2k and 2k + 1.
std::vector<std::string> split_names();

/// Pure. Groups have the number of their node, rail, local rank, or pair.
/// @throws Error(usage) when ranks have no rail, or groups would differ in size
Groups make_groups(std::string_view split, const Placement& placement);

/// What a group is called, in one word: "gpu03", "rail2", "local0", "pair5"; "all" of the split
/// "none". Pure.
std::string group_name(std::string_view split, int number, const Placement& placement);

}  // namespace railgauge
