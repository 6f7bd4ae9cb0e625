// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "verbs/list_ports.hpp"

namespace railgauge {

struct PortWish {
    std::string name;    ///< "mlx5_0", "mlx5_0:2" (port), "rdma0" (interface); empty: the only one
    std::string source;  ///< who says so, for errors: "--device", "RAILGAUGE_NIC"
};

struct ChosenPort {
    std::string device;
    int number = 1;
    std::string interface;  ///< when it was chosen by that
};

/// What --device says, else what the environment variable RAILGAUGE_NIC does.
PortWish port_wish(const std::string& device);

/// Of a device with several ports, the first that is active; without a name the only active port.
/// @throws Error(usage) naming the choices
ChosenPort choose_port(std::span<const ListedPort> ports, const PortWish& wish);

}  // namespace railgauge
