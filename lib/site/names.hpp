// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::site {

/// What a text must be.
struct Rule {
    std::string_view what;                          ///< "an interface name"
    std::string (*why_not)(std::string_view text);  ///< why `text` is none; empty when it is one
};

std::string why_no_label(std::string_view text);
std::string why_no_host(std::string_view text);
std::string why_no_interface(std::string_view text);
std::string why_no_rdma_device(std::string_view text);

/// Names for people: of the site, planes, rails, groups and leaves.
inline constexpr Rule label{"a name", why_no_label};
inline constexpr Rule interface_name{"the name of a network interface", why_no_interface};
inline constexpr Rule rdma_device_name{"the name of an RDMA device", why_no_rdma_device};

/// The candidate that `text` was probably meant to be: one that begins with it or is spelt much
/// like it. Empty when there is none.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// "'a', 'b', 'c'"; only the first few of many.
std::string listed(const std::vector<std::string>& texts);

}  // namespace railgauge::site
