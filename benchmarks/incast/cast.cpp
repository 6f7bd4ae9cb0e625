// SPDX-License-Identifier: Apache-2.0
#include "incast/cast.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/fnv1a.hpp"

namespace railgauge {
namespace {

using RankFilter = std::function<bool(int rank)>;

bool contains(const std::vector<int>& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

/// Ranks with a link, the first lane of each rail of every node before the second of any.
std::vector<int> live_ranks(const Fleet& fleet) {
    const auto live = static_cast<std::size_t>(fleet.ranks()) - fleet.dead().size();
    const std::vector<int> rails = fleet.rails();
    std::vector<int> ranks;
    for (std::size_t lane = 0; ranks.size() < live; ++lane) {
        for (const int rail : rails) {
            for (int node = 0; node < fleet.nodes(); ++node) {
                const std::vector<int>& lanes = fleet.ranks_on(node, rail);
                if (lane < lanes.size()) ranks.push_back(lanes[lane]);
            }
        }
    }
    return ranks;
}

std::vector<int> filtered(const std::vector<int>& ranks, const RankFilter& filter) {
    std::vector<int> kept;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(kept), filter);
    return kept;
}

int first_live_rank(const Fleet& fleet, int node) {
    int first = std::numeric_limits<int>::max();
    for (const int rail : fleet.rails())
        for (const int rank : fleet.ranks_on(node, rail))
            first = std::min(first, rank);
    return first == std::numeric_limits<int>::max() ? -1 : first;
}

/// The first rank of every node that has one with a link.
std::vector<int> first_live_ranks(const Fleet& fleet) {
    std::vector<int> ranks;
    for (int node = 0; node < fleet.nodes(); ++node)
        if (const int rank = first_live_rank(fleet, node); rank >= 0) ranks.push_back(rank);
    if (!ranks.empty()) return ranks;
    throw Error(ExitCode::usage, "no rank can receive", "none of their NICs has a link",
                "mend the links and measure again");
}

std::optional<int> parse_rank(const std::string& text) {
    int rank = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, rank);
    if (rest != end || error != std::errc{}) return std::nullopt;
    return rank;
}

/// A rank of `--receiver`.
int find_receiver(const std::string& text, const Fleet& fleet) {
    int rank = -1;
    if (const auto number = parse_rank(text)) {
        if (*number >= 0 && *number < fleet.ranks()) rank = *number;
    } else {
        for (int node = 0; node < fleet.nodes() && rank < 0; ++node)
            if (fleet.host(node) == text) rank = first_live_rank(fleet, node);
    }
    if (rank >= 0 && !fleet.is_dead(rank)) return rank;
    throw Error(ExitCode::usage, fmt::format("--receiver '{}' cannot receive", text),
                fmt::format("the job has ranks 0 to {} on {} nodes, and no such rank or host with "
                            "a link",
                            fleet.ranks() - 1, fleet.nodes()),
                "name one of these ranks, or the host of one");
}

std::vector<int> named_receivers(const IncastOptions& options, const Fleet& fleet) {
    std::vector<int> ranks;
    for (const std::string& text : options.receiver) {
        const int rank = find_receiver(text, fleet);
        if (contains(ranks, rank)) {
            throw Error(ExitCode::usage, fmt::format("--receiver has rank {} twice", rank),
                        "a case has each receiver once", "name different ranks");
        }
        ranks.push_back(rank);
    }
    return ranks;
}

void require_one(const std::vector<int>& receivers) {
    if (receivers.size() <= 1) return;
    throw Error(ExitCode::usage, fmt::format("--receiver names {} receivers", receivers.size()),
                "--receivers is one", "add --receivers in-turn or at-once");
}

/// Whether the two use the same NIC.
bool share_nic(int a, int b, const Fleet& fleet) {
    return fleet.node_of(a) == fleet.node_of(b) && fleet.rail_of(a) == fleet.rail_of(b);
}

std::string leaf_of(int rank, const Fleet& fleet, const Site* site) {
    const int rail = fleet.rail_of(rank);
    if (site == nullptr || rail == no_rail) return {};
    const Leaf* const leaf = site->leaf_of(fleet.host(fleet.node_of(rank)), rail);
    return leaf == nullptr ? std::string() : leaf->name;
}

/// The last of `ranks` that meets as many of the wishes as possible, the first wish above all; -1
/// when there are none.
int last_by_wishes(const std::vector<int>& ranks, const std::vector<RankFilter>& wishes) {
    std::vector<int> left = ranks;
    for (const RankFilter& wish : wishes) {
        std::vector<int> meeting = filtered(left, wish);
        if (!meeting.empty()) left = std::move(meeting);
    }
    return left.empty() ? -1 : left.back();
}

[[noreturn]] void refuse_victim(const std::string& placed, const char* lacking) {
    throw Error(ExitCode::usage, fmt::format("--victim {} has no pair", placed), lacking,
                "start on more nodes or with more ranks, or use another --victim");
}

/// Chooses the pair; ranks of receivers' nodes are no part of it unless it is said.
class VictimChoice {
  public:
    VictimChoice(const std::vector<int>& receivers, const Fleet& fleet, const Site* site)
        : receivers_(receivers), receiver_(receivers.front()), fleet_(fleet), site_(site) {
        for (const int rank : live_ranks(fleet)) {
            if (contains(receivers, rank)) continue;
            spare_.push_back(rank);
            if (!is_on_receiving_node(rank)) apart_.push_back(rank);
        }
    }

    Victim at_same_receiver() const {
        const std::vector<int> lanes =
            filtered(spare_, [&](int rank) { return share_nic(rank, receiver_, fleet_); });
        const int answerer = lanes.empty() ? receiver_ : lanes.back();
        const int asker = last_by_wishes(
            filtered(spare_, [&](int rank) { return rank != answerer; }),
            {[&](int rank) { return !is_on_receiving_node(rank); }, on_rail_of(receiver_)});
        if (asker < 0) refuse_victim("same-receiver", "it takes a rank beside the receiver");
        return {asker, answerer};
    }

    Victim at_same_leaf() const {
        const std::string leaf = leaf_of(receiver_, fleet_, site_);
        return between_nodes(
            "same-leaf",
            filtered(apart_, [&](int rank) { return leaf_of(rank, fleet_, site_) == leaf; }),
            "it takes two more nodes with ranks, one of them on the receiver's leaf");
    }

    Victim elsewhere() const {
        const std::string leaf = leaf_of(receiver_, fleet_, site_);
        const std::vector<int> away =
            filtered(apart_, [&](int rank) { return leaf_of(rank, fleet_, site_) != leaf; });
        return between_nodes("other", away.empty() ? apart_ : away,
                             "it takes two more nodes with ranks");
    }

  private:
    bool is_on_receiving_node(int rank) const {
        return std::any_of(receivers_.begin(), receivers_.end(), [&](int receiver) {
            return fleet_.node_of(rank) == fleet_.node_of(receiver);
        });
    }

    RankFilter on_rail_of(int other) const {
        return [this, other](int rank) { return fleet_.rail_of(rank) == fleet_.rail_of(other); };
    }

    Victim between_nodes(const char* placed, const std::vector<int>& answerers,
                         const char* lacking) const {
        const int answerer = last_by_wishes(answerers, {on_rail_of(receiver_)});
        if (answerer < 0) refuse_victim(placed, lacking);
        const std::vector<int> askers = filtered(
            apart_, [&](int rank) { return fleet_.node_of(rank) != fleet_.node_of(answerer); });
        const std::string leaf = leaf_of(answerer, fleet_, site_);
        const int asker = last_by_wishes(askers, {on_rail_of(answerer), [&](int rank) {
                                                      return leaf_of(rank, fleet_, site_) == leaf;
                                                  }});
        if (asker < 0) refuse_victim(placed, lacking);
        return {asker, answerer};
    }

    const std::vector<int>& receivers_;
    int receiver_;
    const Fleet& fleet_;
    const Site* site_;
    std::vector<int> spare_;  ///< ranks that do not receive
    std::vector<int> apart_;  ///< those on nodes where nobody receives
};

/// The pools of all receivers without the ranks that are taken; who shares a NIC with the victim
/// comes last.
std::vector<std::vector<int>> free_pools(const std::string& spread,
                                         const std::vector<int>& receivers,
                                         const std::optional<Victim>& victim, const Fleet& fleet) {
    const auto is_free = [&](int rank) {
        const bool is_victim = victim && (rank == victim->asker || rank == victim->answerer);
        return !is_victim && !contains(receivers, rank);
    };
    const auto is_clear = [&](int rank) {
        return !victim || (!share_nic(rank, victim->asker, fleet) &&
                           !share_nic(rank, victim->answerer, fleet));
    };
    std::vector<std::vector<int>> pools;
    for (const int receiver : receivers) {
        pools.push_back(filtered(sender_pool(spread, receiver, fleet), is_free));
        std::stable_partition(pools.back().begin(), pools.back().end(), is_clear);
    }
    return pools;
}

/// One more sender for every crew; false, and crews as they were, when there are not enough.
bool add_senders(const std::vector<std::vector<int>>& pools, std::vector<bool>& taken,
                 std::vector<Crew>& crews) {
    std::vector<Crew> longer = crews;
    for (std::size_t i = 0; i < crews.size(); ++i) {
        const auto next = std::find_if(pools[i].begin(), pools[i].end(), [&](int rank) {
            return !taken[static_cast<std::size_t>(rank)];
        });
        if (next == pools[i].end()) return false;
        taken[static_cast<std::size_t>(*next)] = true;
        longer[i].senders.push_back(*next);
    }
    crews = std::move(longer);
    return true;
}

/// Crews of `most` senders each, or as many as there are.
std::vector<Crew> crews_of_up_to(int most, const std::string& spread,
                                 const std::vector<int>& receivers,
                                 const std::optional<Victim>& victim, const Fleet& fleet) {
    const auto pools = free_pools(spread, receivers, victim, fleet);
    std::vector<Crew> crews;
    for (const int receiver : receivers)
        crews.push_back({receiver, {}});
    std::vector<bool> taken(static_cast<std::size_t>(fleet.ranks()), false);
    for (int i = 0; i < most && add_senders(pools, taken, crews); ++i) {
    }
    return crews;
}

}  // namespace

std::string Cast::digest(const Fleet& fleet) const {
    std::vector<std::string> parts(static_cast<std::size_t>(fleet.ranks()), "idle");
    const auto part_of = [&](int rank) -> std::string& {
        return parts[static_cast<std::size_t>(rank)];
    };
    for (const Crew& crew : crews) {
        part_of(crew.receiver) = "receiver";
        for (const int sender : crew.senders)
            part_of(sender) = fmt::format("sender {}", crew.receiver);
    }
    if (victim) {
        part_of(victim->asker) = fmt::format("asker {}", victim->answerer);
        part_of(victim->answerer) += " answerer";
    }
    Fnv1a hash;
    for (int rank = 0; rank < fleet.ranks(); ++rank)
        hash.add(fmt::format("{} {}", part_of(rank), fleet.rail_of(rank)));
    return fmt::format("{:08x}", static_cast<std::uint32_t>(hash.value() ^ (hash.value() >> 32)));
}

std::vector<std::vector<int>> receiver_sets(const IncastOptions& options, const Fleet& fleet) {
    std::vector<int> named = named_receivers(options, fleet);
    if (options.receivers == "one") {
        require_one(named);
        return {{named.empty() ? first_live_ranks(fleet).front() : named.front()}};
    }
    if (options.receivers == "at-once") {
        if (named.empty()) {
            named = first_live_ranks(fleet);
            named.resize(std::min<std::size_t>(named.size(), 2));
        }
        return {named};
    }
    if (named.empty()) named = first_live_ranks(fleet);
    std::vector<std::vector<int>> sets;
    for (const int rank : named)
        sets.push_back({rank});
    return sets;
}

std::optional<Victim> choose_victim(const std::string& placed, const std::vector<int>& receivers,
                                    const Fleet& fleet, const Site* site) {
    if (placed == "none") return std::nullopt;
    const VictimChoice choice(receivers, fleet, site);
    if (placed == "same-receiver") return choice.at_same_receiver();
    if (placed == "same-leaf") return choice.at_same_leaf();
    return choice.elsewhere();
}

std::vector<int> sender_pool(const std::string& spread, int receiver, const Fleet& fleet) {
    const int node = fleet.node_of(receiver);
    const int rail = fleet.rail_of(receiver);
    const std::vector<int> others =
        filtered(live_ranks(fleet), [&](int rank) { return rank != receiver; });
    std::vector<int> pool = filtered(others, [&](int rank) {
        return fleet.node_of(rank) != node && fleet.rail_of(rank) == rail;
    });
    const auto add = [&](const RankFilter& filter) {
        const std::vector<int> more = filtered(others, filter);
        pool.insert(pool.end(), more.begin(), more.end());
    };
    if (spread != "rail" || pool.empty()) {
        add([&](int rank) { return fleet.node_of(rank) != node && fleet.rail_of(rank) != rail; });
    }
    if (spread == "all" || pool.empty()) add([&](int rank) { return fleet.node_of(rank) == node; });
    return pool;
}

int most_senders(const std::string& spread, const std::vector<int>& receivers,
                 const std::optional<Victim>& victim, const Fleet& fleet) {
    const auto crews = crews_of_up_to(fleet.ranks(), spread, receivers, victim, fleet);
    return static_cast<int>(crews.front().senders.size());
}

std::vector<Crew> make_crews(const std::string& spread, const std::vector<int>& receivers,
                             const std::optional<Victim>& victim, int senders, const Fleet& fleet) {
    std::vector<Crew> crews = crews_of_up_to(senders, spread, receivers, victim, fleet);
    if (crews.front().senders.size() < static_cast<std::size_t>(senders))
        throw std::logic_error("more senders than the job has");
    return crews;
}

}  // namespace railgauge
