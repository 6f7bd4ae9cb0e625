// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace railgauge {

/// A source of nanoseconds. A plain function pointer: it costs about 1 ns over the clock itself,
/// and a test can pass a clock of its own.
struct Clock {
    std::int64_t (*now_ns)();
};

/// CLOCK_MONOTONIC, shared by all processes that have the same boot_id.
inline std::int64_t monotonic_now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline constexpr Clock monotonic_clock{&monotonic_now_ns};

}  // namespace railgauge
