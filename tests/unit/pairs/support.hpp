// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "mpi/placement.hpp"
#include "pairs/fleet.hpp"

namespace railgauge::testing {

/// Nodes n0, n1, ... with ranks on these rails each, as scripts/rank-env would have numbered them.
inline Placement make_rail_placement(const std::vector<std::vector<int>>& rails_of_node) {
    std::vector<std::string> hosts;
    std::vector<int> rails;
    for (std::size_t node = 0; node < rails_of_node.size(); ++node) {
        for (const int rail : rails_of_node[node]) {
            hosts.push_back("n" + std::to_string(node));
            rails.push_back(rail);
        }
    }
    Placement placement = make_placement(hosts, std::vector<std::string>(hosts.size(), "boot"));
    for (std::size_t rank = 0; rank < rails.size(); ++rank) {
        placement.ranks[rank].rail = rails[rank];
        if (rails[rank] >= 0) placement.ranks[rank].nic = "rail" + std::to_string(rails[rank]);
    }
    return placement;
}

/// `nodes` nodes with one rank on each of `rails` rails.
inline Fleet even_fleet(int nodes, int rails) {
    std::vector<int> each(static_cast<std::size_t>(rails));
    std::iota(each.begin(), each.end(), 0);
    return make_fleet(make_rail_placement(std::vector(static_cast<std::size_t>(nodes), each)),
                      nullptr);
}

/// The text of the usage error that `action` ends with.
template <class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

/// Rails 0 and 2 in plane A, 1 and 3 in plane B, as railN; nodes n0 .. n7, of which n0 to n3 hang
/// on leaf low and the others on leaf high, whatever the rail.
inline Site two_planes_two_leaves() {
    return parse_site(R"(
format = 1
name = "test"
control_interface = "mgmt0"
planes = [{name = "A"}, {name = "B"}]
rails = [
    {index = 0, name = "rail 0", plane = "A", rate_gbit_per_s = 0.1},
    {index = 1, name = "rail 1", plane = "B", rate_gbit_per_s = 0.1},
    {index = 2, name = "rail 2", plane = "A", rate_gbit_per_s = 0.1},
    {index = 3, name = "rail 3", plane = "B", rate_gbit_per_s = 0.1},
]

[[groups]]
name = "nodes"
hosts = ["n[0-7]"]
ports = [
    {rail = 0, netdev = "rail0"},
    {rail = 1, netdev = "rail1"},
    {rail = 2, netdev = "rail2"},
    {rail = 3, netdev = "rail3"},
]

[[leaves]]
name = "low"
nodes = ["n[0-3]"]
planes = ["A", "B"]

[[leaves]]
name = "high"
nodes = ["n[4-7]"]
planes = ["A", "B"]
)",
                      "test.toml");
}

}  // namespace railgauge::testing
