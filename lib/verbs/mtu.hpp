// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <infiniband/verbs.h>

namespace railgauge {

/// Payload bytes of a packet; 0 for what is none of the five sizes.
std::uint32_t mtu_bytes(ibv_mtu mtu);

/// None unless it is 256, 512, 1024, 2048 or 4096.
std::optional<ibv_mtu> mtu_of_bytes(std::uint32_t bytes);

/// What this side offers: the port's, or less when asked for.
/// @throws Error(usage) when what is asked for is no size, or more than the port has
ibv_mtu offered_mtu(ibv_mtu active, std::optional<std::uint32_t> asked_bytes,
                    std::string_view port_name);

}  // namespace railgauge
