// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace railgauge::board {

/// Numeric addresses of the interfaces that are up, or of `interface` only: IPv4, then IPv6, then
/// link-local IPv6 with its scope (`fe80::1%eth0`), loopback addresses last.
std::vector<std::string> interface_addresses(const std::string& interface);

}  // namespace railgauge::board
