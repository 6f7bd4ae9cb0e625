// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/case.hpp"
#include "pairs/fleet.hpp"
#include "pairs/matching.hpp"
#include "pairs/options.hpp"
#include "transport/transport.hpp"

namespace railgauge {

enum class PairOperation { bandwidth, latency };

/// Which way payload goes. Forward is from the lower rank of a pair to the higher one; a round trip
/// is a message there and one back, or one read by the lower rank.
enum class Direction { forward, backward, both, round_trip };

/// "bandwidth", "latency".
std::vector<std::string> pair_operation_names();
std::string_view name_of(PairOperation operation);

/// What all pairs of a case do.
struct PairCall {
    PairOperation operation;
    Direction direction;
    std::size_t bytes;        ///< of a message
    int depth;                ///< messages in flight on each queue, in each direction
    Verb verb = Verb::send;   ///< send, write or read
    int queues = 1;           ///< that payload is spread over
    int signal_interval = 1;  ///< messages of a queue for which one completion is asked for

    /// Messages of one operation in each of its directions.
    int messages() const { return depth * queues; }

    /// Payload of one operation in each of its directions.
    std::uint64_t window_bytes() const { return bytes * static_cast<std::uint64_t>(messages()); }
};

/// The cases of a run and who talks to whom in each.
struct PairsPlan {
    std::vector<Case> cases;
    std::vector<Matching> matchings;
    std::vector<std::size_t> matching_of_case;  ///< by place in `cases`, which is the case's id

    const Matching& matching(int case_id) const {
        return matchings.at(matching_of_case.at(static_cast<std::size_t>(case_id)));
    }
};

/// The cases that the options ask of a fleet: for each pattern, operation, verb, direction, queues,
/// size, depth and memory one case per matching. Pure.
/// @throws Error(usage) for sizes that are none, and as match_ranks does
PairsPlan plan_pairs(const PairsOptions& options, const Fleet& fleet, const Site* site);

/// A case, read back.
PairCall call_of(const Case& c);

/// "send", "write", "read".
std::vector<std::string> pair_verb_names();
std::string_view name_of(Verb verb);

}  // namespace railgauge
