// SPDX-License-Identifier: Apache-2.0
// Where the pair is that shows what an incast does to others.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "incast/cast.hpp"
#include "incast/ranks.hpp"

namespace railgauge {
namespace {

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

}  // namespace

std::optional<Victim> choose_victim(const std::string& placed, const std::vector<int>& receivers,
                                    const Fleet& fleet, const Site* site) {
    if (placed == "none") return std::nullopt;
    const VictimChoice choice(receivers, fleet, site);
    if (placed == "same-receiver") return choice.at_same_receiver();
    if (placed == "same-leaf") return choice.at_same_leaf();
    return choice.elsewhere();
}

}  // namespace railgauge
