// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

namespace railgauge::ras {

using Deadline = std::chrono::steady_clock::time_point;

struct Address {
    std::string host;
    std::string port;

    bool operator==(const Address&) const = default;
};

/// `host:port` or `[ipv6]:port`, as NCCL_RAS_ADDR has it; none when it is neither.
std::optional<Address> parse_address(std::string_view text);

/// What NCCL_RAS_ADDR says, or where NCCL listens without it.
std::optional<Address> address_of_environment();

struct Endpoint {
    sockaddr_storage address{};
    socklen_t length = 0;
};

/// Where `address` may be reached, none when that is not known before the deadline.
std::vector<Endpoint> resolve(const Address& address, Deadline deadline);

}  // namespace railgauge::ras
