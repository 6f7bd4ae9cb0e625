// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railgauge::site {

/// What a text must be: the reason why `text` is not that, or "" when it is.
using Rule = std::string (*)(std::string_view text);

/// A name for people: of a site, plane, rail, group or leaf.
std::string why_no_label(std::string_view text);

/// A host name, short or with its domain.
std::string why_no_host(std::string_view text);

/// A Linux network interface.
std::string why_no_interface(std::string_view text);

/// An RDMA device.
std::string why_no_rdma_device(std::string_view text);

/// The candidate that `text` was probably meant to be; empty when none is near.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// "'a', 'b', 'c'"; only the first few of many.
std::string listed(const std::vector<std::string>& texts);

}  // namespace railgauge::site
