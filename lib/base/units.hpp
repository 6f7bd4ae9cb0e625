// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

inline constexpr double ns_per_us = 1e3;
inline constexpr double ns_per_s = 1e9;

/// Bytes of "4096", "32MB" (32,000,000) or "32MiB" (33,554,432); K M G T, case-insensitive, B
/// optional.
/// @throws Error(usage) when it is no size or exceeds 64 bits.
std::uint64_t parse_bytes(std::string_view text);

/// Sizes of a list such as "8:16MiB:2x" (geometric), "1KiB:4KiB:1KiB" (arithmetic), "64,1MiB" or
/// any mixture separated by commas; ascending, without repeats.
/// @throws Error(usage) on malformed text, a zero step or more than 100,000 sizes.
std::vector<std::uint64_t> parse_byte_list(std::string_view text);

/// Nanoseconds of "250ms", "1.5s", "2min", "100us", "50ns"; a bare number is seconds.
/// @throws Error(usage) when it is no positive duration below 1000 hours.
std::int64_t parse_duration_ns(std::string_view text);

/// "1 KiB", "16 MiB", "1000 B": exact, for people.
std::string format_bytes(std::uint64_t bytes);

}  // namespace railgauge
