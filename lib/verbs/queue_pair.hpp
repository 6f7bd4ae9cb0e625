// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "verbs/card.hpp"
#include "verbs/handles.hpp"
#include "verbs/port.hpp"

namespace railgauge {

struct QueueSize {
    std::uint32_t sends = 1;
    std::uint32_t receives = 1;
    std::uint32_t inline_bytes = 0;
};

/// A reliable connection's end, in state INIT: it may be connected and given receives.
/// @return none when the device cannot, with errno set
QueuePair make_queue_pair(const Port& port, ibv_cq& completions, const QueueSize& size);

/// What both ends of a connection agree on.
struct Agreement {
    ibv_ah_attr address{};
    ibv_mtu mtu = IBV_MTU_256;
    std::uint8_t reads_out = 0;  ///< reads in flight from here
    std::uint8_t reads_in = 0;   ///< reads in flight to here
};

/// The least of what both offer.
Agreement agree(const Card& mine, const Card& theirs, const PathSource& source);

/// Takes packets from its peer from now on.
/// @throws Error(library) naming the peer
void open_for_receiving(ibv_qp& queue, const QueueEnd& theirs, const Agreement& agreement,
                        std::string_view peer);

/// Sends, too. @throws Error(library) naming the peer
void open_for_sending(ibv_qp& queue, const QueueEnd& mine, const Agreement& agreement,
                      const PathOptions& options, std::string_view peer);

}  // namespace railgauge
