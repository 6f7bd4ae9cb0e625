// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace railgauge {

/// What one side of a connection tells the other.
///
/// As bytes: "RGUX", version, then the fields in this order; numbers in 4 or 8 bytes, least first;
/// before a text or blob its size in 4 bytes.
struct UcxCard {
    std::string error = {};  ///< why this side cannot connect; the rest is then empty
    std::uint32_t channel = 0;
    std::uint32_t queues = 0;
    std::uint64_t base = 0;  ///< address of the memory there
    std::uint64_t bytes = 0;
    std::vector<std::byte> address = {};  ///< of the worker
    std::vector<std::byte> key = {};      ///< to the memory
};

std::vector<std::byte> encode(const UcxCard& card);

/// Within bounds whatever the bytes are; what the blobs hold is for UCX to judge.
/// @throws Error(library) naming `peer`
UcxCard decode_ucx_card(std::span<const std::byte> bytes, const std::string& peer);

}  // namespace railgauge
