// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace railgauge::site {

/// The line of the first dotted key of a TOML text that is deeper than any site file needs.
///
/// The TOML library limits nested values but not dotted keys, and takes its tables apart by
/// recursion: "a.a.a.[...].a = 1" with some 100,000 dots would end the process.
std::optional<std::uint32_t> line_of_too_deep_key(std::string_view text);

}  // namespace railgauge::site
