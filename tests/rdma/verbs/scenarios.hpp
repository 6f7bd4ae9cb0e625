// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "transport/fabric_options.hpp"

namespace railgauge {

enum class Role { here, there };

/// One of two processes, and what it has.
struct Side {
    Role role = Role::here;
    int socket = -1;
    pid_t other = -1;  ///< of `here`: the other process
    FabricOptions options;
    std::string memory = "host";
    int queues = 1;
    int depth = 16;

    void say(std::string_view text) const;
};

std::vector<std::string> scenario_names();

/// What a side does in a scenario. @throws Error as the fabric does
void play(std::string_view scenario, const Side& side);

}  // namespace railgauge
