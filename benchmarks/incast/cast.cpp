// SPDX-License-Identifier: Apache-2.0
#include "incast/cast.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "incast/ranks.hpp"

namespace railgauge {
namespace {

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
