// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mpi/placement.hpp"
#include "site/site.hpp"

namespace railgauge {

/// The rail of ranks that have none.
inline constexpr int no_rail = -1;

/// The ranks of a job by node and rail. Ranks that share a node and a rail are its lanes.
class Fleet {
  public:
    /// @param rails by rank, no_rail for all of them or for none
    Fleet(const Placement& placement, std::vector<int> rails);

    int nodes() const { return static_cast<int>(hosts_.size()); }
    int ranks() const { return static_cast<int>(rails_.size()); }

    /// The rails that ranks are on, ascending; {no_rail} when no rank has one.
    std::vector<int> rails() const;

    /// Ranks of a node on a rail whose NIC has a link, by lane; empty when there are none.
    const std::vector<int>& ranks_on(int node, int rail) const;

    /// Ranks that cannot measure: their NIC has no link.
    const std::vector<int>& dead() const { return dead_; }
    bool is_dead(int rank) const;

    int node_of(int rank) const { return nodes_.at(static_cast<std::size_t>(rank)); }
    int rail_of(int rank) const { return rails_.at(static_cast<std::size_t>(rank)); }
    const std::string& host(int node) const { return hosts_.at(static_cast<std::size_t>(node)); }

    /// The node of that host name. @throws Error(usage) when the job does not run there
    int find_host(const std::string& name) const;

    /// "n3 rail 2", for people.
    std::string describe(int node, int rail) const;

  private:
    std::vector<std::string> hosts_;
    std::vector<int> nodes_;
    std::vector<int> rails_;
    std::map<std::pair<int, int>, std::vector<int>> lanes_;
    std::vector<int> dead_;
};

/// Rails are the site file's where there is one: those of the ranks' NICs; else scripts/rank-env's.
/// @param site nullptr = none was given
/// @throws Error(usage) for a rail map that cannot be right: ranks without a rail beside ranks that
///         have one, or a NIC that the site file puts on no rail
Fleet make_fleet(const Placement& placement, const Site* site);

/// One line for everything that leaves ranks idle or rails unequal; empty when all is even.
std::vector<std::string> describe_unevenness(const Fleet& fleet, const Site* site);

}  // namespace railgauge
