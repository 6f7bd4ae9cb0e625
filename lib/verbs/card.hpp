// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/address.hpp"

namespace railgauge {

struct QueueEnd {
    std::uint32_t number = 0;        ///< of the queue pair, 24 bits
    std::uint32_t first_packet = 0;  ///< sequence number, 24 bits
};

/// What two sides tell each other before they connect.
struct Card {
    std::string error;  ///< why this side cannot; the rest means nothing then
    std::string host;
    std::string port;  ///< "mlx5_0:1"
    PathEnd end;
    std::uint32_t mtu_bytes = 0;      ///< that this side offers
    std::uint8_t most_reads_out = 0;  ///< reads that its queue pair may have in flight
    std::uint8_t most_reads_in = 0;   ///< reads that its queue pair answers at a time
    std::uint32_t key = 0;            ///< of its memory
    std::uint64_t address = 0;        ///< of its memory
    std::uint64_t bytes = 0;          ///< of its memory
    std::vector<QueueEnd> queues;
};

std::vector<std::byte> encode(const Card& card);

/// @throws Error(library) naming the peer when the bytes are no card of this version
Card decode_card(std::span<const std::byte> bytes, std::string_view peer);

/// @throws Error(library) naming the peer when it has refused, or the two sides cannot be connected
void require_matching(const Card& mine, const Card& theirs, std::string_view peer);

}  // namespace railgauge
