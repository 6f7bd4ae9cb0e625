// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "pairs/fleet.hpp"
#include "pairs/rounds.hpp"

namespace railgauge {

/// Ranks that measure in pairs at the same time: who talks to whom in one case.
struct Matching {
    std::string rails;  ///< "0,1,2,3", across rails "0>1,1>0"; "none" where ranks have no rail
    std::string plane;  ///< the plane that the rails are all of; empty unless chosen by it
    int repeat = 0;
    int round = 0;
    std::vector<int> peers;  ///< by rank; -1 = idle, itself = a receiver outside the job
    std::string served;      ///< that receiver, HOST:PORT; empty unless there is one

    int pairs() const;
    bool is_outside(int rank) const { return peers.at(static_cast<std::size_t>(rank)) == rank; }

    /// Of every rank's peer and rail, 8 hex digits: differs where other ranks talk to each other or
    /// over other rails.
    std::string digest(const Fleet& fleet) const;
};

/// From which rail of the first node to which of the second.
struct RailLink {
    int first;
    int second;
};

/// Rails measured at the same time; none is twice at either end.
struct RailSet {
    std::vector<RailLink> links;
    std::string plane;
};

/// Each rail to itself.
RailSet straight(const std::vector<int>& rails, std::string plane = {});

/// The rails that options choose ("at-once", "one-by-one", "both"): each alone, then all.
std::vector<RailSet> chosen_rail_sets(const std::string& choice, const Fleet& fleet);

/// A matching of no pair yet.
Matching empty_matching(const Fleet& fleet, const RailSet& rails);

/// Joins the ranks of two nodes lane by lane; a rank without a counterpart stays idle.
void join(const Fleet& fleet, NodePair nodes, RailLink link, Matching& matching);

/// All pairs of nodes of a round on all rails of a set.
Matching match(const Fleet& fleet, const NodeRound& round, const RailSet& rails);

}  // namespace railgauge
