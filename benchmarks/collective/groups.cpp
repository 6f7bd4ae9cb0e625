// SPDX-License-Identifier: Apache-2.0
#include "collective/groups.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"

namespace railgauge {
namespace {

struct SplitRow {
    std::string_view name;
    std::string_view prefix;  ///< of a group's name; empty: it is called by its node
    int (*group)(const Placement& placement, std::size_t rank);
    void (*require)(const Placement& placement);  ///< nullptr: nothing is needed
};

int everyone(const Placement& /*placement*/, std::size_t /*rank*/) {
    return 0;
}
int node_of(const Placement& placement, std::size_t rank) {
    return placement.ranks[rank].node;
}
int rail_of(const Placement& placement, std::size_t rank) {
    return placement.ranks[rank].rail;
}
int local_index_of(const Placement& placement, std::size_t rank) {
    return placement.ranks[rank].local_rank;
}
int pair_of(const Placement& placement, std::size_t rank) {
    const bool has_partner = (rank | 1) < placement.ranks.size();
    return has_partner ? static_cast<int>(rank / 2) : -1;
}

void require_rails(const Placement& placement) {
    const auto has_none = [](const Placement::Rank& rank) { return rank.rail < 0; };
    const auto found = std::find_if(placement.ranks.begin(), placement.ranks.end(), has_none);
    if (found == placement.ranks.end()) return;
    throw Error(ExitCode::usage,
                fmt::format("rank {} has no rail", found - placement.ranks.begin()),
                "--split rail groups ranks by it", "start with --rail-map");
}

/// Every way to split. A new one is a function and a row.
constexpr std::array<SplitRow, 5> table{{{no_split, "all", &everyone, nullptr},
                                         {"node", "", &node_of, nullptr},
                                         {"rail", "rail", &rail_of, &require_rails},
                                         {"local-index", "local", &local_index_of, nullptr},
                                         {"pair", "pair", &pair_of, nullptr}}};

void require_even(std::string_view split, const std::map<int, int>& sizes) {
    if (sizes.empty()) {
        throw Error(ExitCode::usage, fmt::format("--split {} makes no group", split),
                    "one rank has no partner", "start two ranks or more");
    }
    const auto [least, most] =
        std::minmax_element(sizes.begin(), sizes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    if (least->second == most->second) return;
    throw Error(ExitCode::usage,
                fmt::format("--split {} makes groups of {} to {} ranks", split, least->second,
                            most->second),
                fmt::format("{} {} is smaller than others, and their results would not compare",
                            split, least->first),
                "start the same number of ranks on all nodes");
}

}  // namespace

std::vector<std::string> split_names() {
    return names_of(table);
}

Groups make_groups(std::string_view split, const Placement& placement) {
    const SplitRow& row = row_named(table, split, "split");
    if (row.require != nullptr) row.require(placement);
    Groups groups;
    std::map<int, int> sizes;
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
        groups.of_rank.push_back(row.group(placement, rank));
        if (groups.of_rank.back() >= 0) ++sizes[groups.of_rank.back()];
    }
    require_even(split, sizes);
    for (const auto& [number, ranks] : sizes) {
        groups.numbers.push_back(number);
        groups.ranks = ranks;
    }
    return groups;
}

std::string group_name(std::string_view split, int number, const Placement& placement) {
    const SplitRow& row = row_named(table, split, "split");
    if (split == no_split) return std::string(row.prefix);
    if (!row.prefix.empty()) return fmt::format("{}{}", row.prefix, number);
    return placement.nodes.at(static_cast<std::size_t>(number)).host;
}

}  // namespace railgauge
