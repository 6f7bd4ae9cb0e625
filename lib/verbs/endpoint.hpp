// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "verbs/card.hpp"
#include "verbs/handles.hpp"
#include "verbs/port.hpp"

namespace railgauge {

struct EndpointPlan {
    int queues = 1;
    int send_depth = 1;      ///< of each queue
    int receive_depth = 1;   ///< of each queue
    bool may_inline = true;  ///< the host can read the memory
};

/// One side's queue pairs to a peer, and where all their completions come.
struct Endpoint {
    CompletionQueue completions;
    std::vector<QueuePair> queues;
    std::vector<QueueEnd> ends;
    std::uint32_t inline_bytes = 0;  ///< messages up to this may travel within the work request
};

/// Not yet connected.
/// @throws Error(usage) when the plan exceeds the device's limits, Error(library) when it fails
Endpoint make_endpoint(const Port& port, const EndpointPlan& plan);

/// What this side's card says of the port and the endpoint.
void describe(const Port& port, const Endpoint& endpoint, Card& card);

/// Connects every queue pair to the peer's of the same place.
/// @throws Error(library) naming the peer
void connect(Endpoint& endpoint, const Port& port, const Card& mine, const Card& theirs,
             std::string_view peer);

}  // namespace railgauge
