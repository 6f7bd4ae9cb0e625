// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verbs/address.hpp"
#include "verbs/choose_port.hpp"
#include "verbs/gid.hpp"
#include "verbs/handles.hpp"

namespace railgauge {

/// How connections of a port are made.
struct PathOptions {
    GidWish gid;
    std::uint8_t traffic_class = 0;
    std::uint8_t service_level = 0;
    std::uint16_t pkey_index = 0;
    std::optional<std::uint32_t> mtu_bytes;
    std::optional<std::uint32_t> inline_bytes;
    std::uint8_t retries = 6;
    std::uint8_t timeout_exponent = 14;  ///< 4.096 us x 2^this
};

/// An open port of an RDMA device, with an address.
struct Port {
    DeviceContext context;
    ProtectionDomain domain;
    std::string device;
    std::string name;  ///< "mlx5_0:1"
    ibv_device_attr limits{};
    ibv_port_attr state{};
    ibv_mtu mtu = IBV_MTU_256;  ///< that this side offers
    PathEnd end;
    PathSource source;
    PathOptions options;
};

/// @throws Error(usage) when the options do not fit the port
/// @throws Error(library) when it cannot be opened, or is not active
Port open_port(const ChosenPort& chosen, const PathOptions& options);

}  // namespace railgauge
