// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pairs/exchange.hpp"

namespace railgauge {

/// Exchanges on libraries in which a message must find its receive posted (RDMA): every receive is
/// posted before the peer may send, and again as soon as a message has taken it. Empty messages by
/// which the ranks tell each other something have a queue of their own, behind those of payload.

ChannelParameters ahead_channel_parameters(const PairCall& call);

/// @param channel outlives the exchange
std::unique_ptr<Exchange> make_ahead_exchange(const PairCall& call, Duty duty, Channel& channel);

}  // namespace railgauge
