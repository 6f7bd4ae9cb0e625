// SPDX-License-Identifier: Apache-2.0
#include "program/utc.hpp"

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>

#include "measure/clock.hpp"

namespace railgauge {

std::string utc_iso() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string utc_compact() {
    return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::int64_t monotonic_zero_unix_ns() {
    const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::nanoseconds(unix_time).count() - monotonic_now_ns();
}

}  // namespace railgauge
