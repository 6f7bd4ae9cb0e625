// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

namespace railgauge {

/// Where every rank runs, the same on all ranks. A node is a host name on a booted kernel: two
/// machines that share a name are two nodes, as are two containers of one kernel with names of
/// their own.
struct Placement {
    struct Rank {
        int node = 0;
        int local_rank = 0;
        int rail = -1;    ///< that scripts/rank-env gave it; -1 = none
        std::string nic;  ///< the NIC of that rail
        /// The NIC has no link: the rank is reachable over the control network only.
        bool rail_is_dead = false;
        bool operator==(const Rank&) const = default;
    };
    struct Node {
        std::string host;  ///< unique: the second node of a name is "name#2"
        std::string boot_id;
        int ranks = 0;
        bool operator==(const Node&) const = default;
    };
    std::vector<Rank> ranks;
    std::vector<Node> nodes;
};

/// Builds the placement from each rank's host name and boot id, in rank order. Pure.
Placement make_placement(const std::vector<std::string>& hosts,
                         const std::vector<std::string>& boot_ids);

/// Exchanges host names, boot ids and rails over `comm`.
Placement exchange_placement(MPI_Comm comm);

/// This machine's host name as gethostname(2) gives it, and the running kernel's boot id.
std::string host_name();
std::string boot_id();

/// @throws Error(usage) naming the difference when the placement is not what was asked for; 0 =
/// any.
void check_expected_placement(const Placement& placement, int expected_nodes,
                              int expected_ranks_per_node);

}  // namespace railgauge
