// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge::site {

/// The hosts of "gpu[01-12]", "gpu[1,3-5].example", "rack[1-2]node[01-16]" or "gpu01", or why there
/// are none. A leading zero asks for numbers of that width.
struct HostExpansion {
    std::vector<std::string> hosts;
    std::string why;  ///< empty = the hosts are right
};

/// @param most hosts that the pattern may mean; a pattern that means more is not expanded
HostExpansion expand_hosts(std::string_view pattern, std::size_t most);

}  // namespace railgauge::site
