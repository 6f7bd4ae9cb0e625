// SPDX-License-Identifier: Apache-2.0
#include "pairs/patterns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "pairs/bipartite.hpp"
#include "pairs/node_patterns.hpp"
#include "pairs/rounds.hpp"
#include "pairs/served_pattern.hpp"

namespace railgauge {
namespace {

/// What one repeat of a pattern is made from.
struct Ground {
    const PairsOptions& options;
    const Fleet& fleet;
    const Site* site;
    std::vector<int> order;  ///< of the nodes, another one in every repeat

    std::vector<NodeRound> rounds() const {
        return relabelled(all_pairs_rounds(fleet.nodes()), order);
    }
};

/// Every pair of nodes on each of the rail sets.
std::vector<Matching> every_pair(const Ground& ground, const std::vector<RailSet>& sets) {
    const std::vector<NodeRound> rounds = ground.rounds();
    std::vector<Matching> matchings;
    for (const RailSet& set : sets) {
        for (std::size_t round = 0; round < rounds.size(); ++round) {
            matchings.push_back(match(ground.fleet, rounds[round], set));
            matchings.back().round = static_cast<int>(round);
        }
    }
    return matchings;
}

// ---------------------------------------------------------------- one pair

/// "A:B" cut in two.
std::pair<std::string, std::string> parse_pair(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos && colon > 0 && colon + 1 < text.size())
        return {text.substr(0, colon), text.substr(colon + 1)};
    throw Error(ExitCode::usage, fmt::format("--pair '{}' is no pair", text),
                "pattern one-pair measures two ranks, or the ranks of two hosts",
                "give --pair 0:8 or --pair gpu01:gpu02");
}

/// The rank of that number; none when the text is no number.
std::optional<int> parse_rank(const std::string& text, int ranks) {
    int rank = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, rank);
    if (rest != end || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc{} && rank >= 0 && rank < ranks) return rank;
    throw Error(ExitCode::usage, fmt::format("rank {} does not exist", text),
                fmt::format("the job has {} ranks", ranks), fmt::format("use 0 to {}", ranks - 1));
}

void require_different(int a, int b, const std::string& pair) {
    if (a != b) return;
    throw Error(ExitCode::usage, fmt::format("--pair '{}' has the same end twice", pair),
                "a message needs somewhere to go", "name two");
}

void require_link(const Fleet& fleet, int rank) {
    if (!fleet.is_dead(rank)) return;
    throw Error(ExitCode::usage,
                fmt::format("rank {} of --pair has no link on {}", rank,
                            fleet.describe(fleet.node_of(rank), fleet.rail_of(rank))),
                "its bytes would go over the control interface",
                "mend the link, or name ranks that have one");
}

Matching match_two_ranks(const Fleet& fleet, int first, int second) {
    Matching matching =
        empty_matching(fleet, {{{fleet.rail_of(first), fleet.rail_of(second)}}, {}});
    matching.peers[static_cast<std::size_t>(first)] = second;
    matching.peers[static_cast<std::size_t>(second)] = first;
    return matching;
}

std::vector<Matching> one_pair(const Ground& ground) {
    const Fleet& fleet = ground.fleet;
    const std::string& text = ground.options.pair;
    const auto [a, b] = parse_pair(text);
    const auto first = parse_rank(a, fleet.ranks());
    const auto second = parse_rank(b, fleet.ranks());
    if (first && second) {
        require_different(*first, *second, text);
        for (const int rank : {*first, *second})
            require_link(fleet, rank);
        return {match_two_ranks(fleet, std::min(*first, *second), std::max(*first, *second))};
    }
    const NodePair nodes = std::minmax({fleet.find_host(a), fleet.find_host(b)});
    require_different(nodes.first, nodes.second, text);
    std::vector<Matching> matchings;
    for (const RailSet& set : chosen_rail_sets(ground.options.rails, fleet))
        matchings.push_back(match(fleet, {nodes}, set));
    return matchings;
}

// ---------------------------------------------------------------- rails

std::vector<Matching> rail_sweep(const Ground& ground) {
    const NodeRound round = ground.rounds().front();
    std::vector<Matching> matchings;
    for (const RailSet& set : chosen_rail_sets("both", ground.fleet))
        matchings.push_back(match(ground.fleet, round, set));
    return matchings;
}

std::vector<Matching> all_pairs(const Ground& ground) {
    return every_pair(ground, chosen_rail_sets(ground.options.rails, ground.fleet));
}

std::vector<Matching> cross_rail(const Ground& ground) {
    const std::vector<int> rails = ground.fleet.rails();
    std::vector<RailSet> sets;
    for (std::size_t shift = 1; shift < rails.size(); ++shift) {
        RailSet set;
        for (std::size_t i = 0; i < rails.size(); ++i)
            set.links.push_back({rails[i], rails[(i + shift) % rails.size()]});
        sets.push_back(std::move(set));
    }
    return every_pair(ground, sets);
}

// ---------------------------------------------------------------- planes

/// The fleet's rails in each plane, in the order of the site file.
std::vector<RailSet> plane_sets(const Ground& ground) {
    std::vector<RailSet> sets;
    for (const Plane& plane : ground.site->planes) {
        std::vector<int> rails;
        for (const int rail : ground.fleet.rails())
            if (ground.site->plane_of(rail) == &plane) rails.push_back(rail);
        if (!rails.empty()) sets.push_back(straight(rails, plane.name));
    }
    return sets;
}

std::vector<Matching> each_plane(const Ground& ground) {
    return every_pair(ground, plane_sets(ground));
}

/// Rails of one plane with those of another, both ways; of the wider plane those that `shift`
/// chooses.
RailSet between(const RailSet& narrow, const RailSet& wide, std::size_t shift) {
    RailSet set;
    for (std::size_t i = 0; i < narrow.links.size(); ++i) {
        const int here = narrow.links[i].first;
        const int there = wide.links[(i + shift) % wide.links.size()].first;
        set.links.push_back({here, there});
        set.links.push_back({there, here});
    }
    return set;
}

std::vector<Matching> cross_plane(const Ground& ground) {
    const std::vector<RailSet> planes = plane_sets(ground);
    std::vector<RailSet> sets;
    for (std::size_t a = 0; a < planes.size(); ++a) {
        for (std::size_t b = a + 1; b < planes.size(); ++b) {
            const bool a_is_wide = planes[a].links.size() > planes[b].links.size();
            const RailSet& wide = planes[a_is_wide ? a : b];
            for (std::size_t shift = 0; shift < wide.links.size(); ++shift)
                sets.push_back(between(planes[a_is_wide ? b : a], wide, shift));
        }
    }
    return every_pair(ground, sets);
}

// ---------------------------------------------------------------- leaves

/// The leaf of every node's port on a rail, as a number; -1 = the site file does not say.
std::vector<int> leaves_of(const Ground& ground, int rail) {
    std::vector<int> leaves;
    for (int node = 0; node < ground.fleet.nodes(); ++node) {
        const Leaf* const leaf = ground.site->leaf_of(ground.fleet.host(node), rail);
        leaves.push_back(leaf == nullptr ? -1
                                         : static_cast<int>(leaf - ground.site->leaves.data()));
    }
    return leaves;
}

std::vector<Matching> bisection(const Ground& ground) {
    std::vector<Matching> matchings;
    for (const RailSet& set : chosen_rail_sets(ground.options.rails, ground.fleet)) {
        matchings.push_back(empty_matching(ground.fleet, set));
        for (const RailLink& link : set.links) {
            const NodeRound round = bisection_round(leaves_of(ground, link.first), ground.order);
            for (const NodePair& nodes : round)
                join(ground.fleet, nodes, link, matchings.back());
        }
    }
    return matchings;
}

std::vector<Matching> between_groups(const Ground& ground) {
    return bipartite(ground.options.between, ground.fleet, *ground.site, ground.order);
}

// ---------------------------------------------------------------- within a node

std::vector<Matching> every_node_pair(const Ground& ground) {
    return node_pairs(ground.fleet);
}

std::vector<Matching> every_first_pair(const Ground& ground) {
    return node_first(ground.fleet);
}

// ---------------------------------------------------------------- outside the job

std::vector<Matching> with_receiver(const Ground& ground) {
    return served(ground.options, ground.fleet);
}

// ---------------------------------------------------------------- the table

enum class Nodes { any, several };
enum class SiteFile { unused, needed };

struct PatternRow {
    std::string_view name;
    Nodes nodes;
    SiteFile site;
    std::vector<Matching> (*match)(const Ground& ground);
};

constexpr std::array<PatternRow, 11> table{
    {{"one-pair", Nodes::any, SiteFile::unused, &one_pair},
     {"rail-sweep", Nodes::several, SiteFile::unused, &rail_sweep},
     {"all-pairs", Nodes::several, SiteFile::unused, &all_pairs},
     {"plane", Nodes::several, SiteFile::needed, &each_plane},
     {"cross-rail", Nodes::several, SiteFile::unused, &cross_rail},
     {"cross-plane", Nodes::several, SiteFile::needed, &cross_plane},
     {"bipartite", Nodes::several, SiteFile::needed, &between_groups},
     {"node-pairs", Nodes::any, SiteFile::unused, &every_node_pair},
     {"node-first", Nodes::any, SiteFile::unused, &every_first_pair},
     {"bisection", Nodes::several, SiteFile::needed, &bisection},
     {"served", Nodes::any, SiteFile::unused, &with_receiver}}};

void require_what_it_needs(const PatternRow& row, const Fleet& fleet, const Site* site) {
    if (row.nodes == Nodes::several && fleet.nodes() < 2) {
        throw Error(ExitCode::usage,
                    fmt::format("pattern {} has no pair: the job runs on one node", row.name),
                    "its pairs are of two nodes",
                    "start on more nodes, or measure ranks of this one: --pattern node-pairs, or "
                    "one-pair with --pair 0:1");
    }
    if (row.site == SiteFile::needed && site == nullptr) {
        throw Error(ExitCode::usage, fmt::format("pattern {} needs a site file", row.name),
                    "only it says which nodes and rails share a group, a plane or a leaf",
                    "give --site FILE");
    }
}

}  // namespace

std::vector<std::string> pattern_names() {
    return names_of(table);
}

std::vector<Matching> match_ranks(std::string_view pattern, const PairsOptions& options,
                                  const Fleet& fleet, const Site* site) {
    const PatternRow& row = row_named(table, pattern, "pattern");
    require_what_it_needs(row, fleet, site);
    std::vector<Matching> matchings;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        const Ground ground{options, fleet, site, node_order(fleet.nodes(), options.seed, repeat)};
        for (Matching& matching : row.match(ground)) {
            if (matching.pairs() == 0 && fleet.dead().empty()) continue;
            matching.repeat = repeat;
            matchings.push_back(std::move(matching));
        }
    }
    if (!matchings.empty()) return matchings;
    throw Error(ExitCode::usage, fmt::format("pattern {} has no pair in this job", pattern),
                "its rails, planes or leaves do not have two sides here",
                "check rail map and site file, or choose another pattern");
}

}  // namespace railgauge
