// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace railgauge {

/// Now, as "2026-11-30T13:03:29Z" and as "20261130T130329Z" for file names.
std::string utc_iso();
std::string utc_compact();

/// Unix time of the monotonic clock's zero.
std::int64_t monotonic_zero_unix_ns();

}  // namespace railgauge
