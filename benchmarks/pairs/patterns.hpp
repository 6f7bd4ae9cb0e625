// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pairs/fleet.hpp"
#include "pairs/matching.hpp"
#include "pairs/options.hpp"

namespace railgauge {

/// Who talks to whom:
///
///     one-pair     the --pair alone
///     rail-sweep   each rail alone, then all at once; every node with one other
///     all-pairs    every pair of nodes, rails at once or one by one
///     plane        every pair of nodes, the rails of one plane at a time
///     cross-rail   every pair of nodes, from each rail to every other
///     cross-plane  every pair of nodes, from the rails of each plane to those of every other
///     bipartite    every node of a group with every node of another, --between
///     node-pairs   every pair of ranks within each node
///     node-first   the first rank of each node with every other of it
///     bisection    half of the nodes against the other half, across leaves
///     served       every rank with a receiver outside the job, --served
std::vector<std::string> pattern_names();

/// The matchings of a pattern in the order in which they are measured. One is without pairs only
/// when ranks have no link: it stays in the plan, to be marked as not measured. Pure.
/// @param site nullptr = none was given
/// @throws Error(usage) when the job or the site file does not have what the pattern needs
std::vector<Matching> match_ranks(std::string_view pattern, const PairsOptions& options,
                                  const Fleet& fleet, const Site* site);

}  // namespace railgauge
