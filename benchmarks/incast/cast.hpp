// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "incast/options.hpp"
#include "pairs/fleet.hpp"
#include "site/site.hpp"

namespace railgauge {

/// One receiver and those who send to it.
struct Crew {
    int receiver = -1;
    std::vector<int> senders;
};

/// Two ranks whose round trips show what the incast does to others: `asker` times them. `answerer`
/// may be a receiver, which then answers between two looks at its senders.
struct Victim {
    int asker = -1;
    int answerer = -1;
};

/// Who does what in a case. Crews share no rank.
struct Cast {
    std::vector<Crew> crews;
    std::optional<Victim> victim;

    /// Of each rank's part, peer and rail, 8 hex digits.
    std::string digest(const Fleet& fleet) const;
};

/// The ranks that receive in a case, for every case of a sweep's point.
/// @throws Error(usage) for a rank or host that the job has not, or that has no link
std::vector<std::vector<int>> receiver_sets(const IncastOptions& options, const Fleet& fleet);

/// The pair of `--victim` beside these receivers; none when none is asked for. It keeps away from
/// nodes of receivers, and takes the ranks that become senders last.
///
///     same-receiver   to a lane of the receiver's NIC, else to the receiver itself
///     same-leaf       to another node of the receiver's leaf; without a site file any other node
///     other           to another leaf, where there is one
///
/// @throws Error(usage) when the job has no such ranks
std::optional<Victim> choose_victim(const std::string& placed, const std::vector<int>& receivers,
                                    const Fleet& fleet, const Site* site);

/// Ranks that may send to `receiver` in the order in which they are taken: node by node, so that
/// the first of them are on as many nodes as there are.
///
///     rail    on the receiver's rail, on other nodes
///     nodes   then those on other rails of other nodes
///     all     then those on the receiver's own node
///
/// Where a spread has none, the next one's are taken.
std::vector<int> sender_pool(const std::string& spread, int receiver, const Fleet& fleet);

/// How many senders each of these receivers can have.
int most_senders(const std::string& spread, const std::vector<int>& receivers,
                 const std::optional<Victim>& victim, const Fleet& fleet);

/// `senders` for each receiver, each at most once. @throws std::logic_error beyond most_senders()
std::vector<Crew> make_crews(const std::string& spread, const std::vector<int>& receivers,
                             const std::optional<Victim>& victim, int senders, const Fleet& fleet);

}  // namespace railgauge
