// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace railgauge {

/// What the watchdog's thread may ask of the library under test while the measuring thread is stuck
/// in it. All empty: there is no such library.
struct LibraryWatch {
    /// The number of the error that the library has met; 0 = none. Returns at once.
    std::function<std::uint8_t()> error;

    /// What that number means; "none" for 0.
    std::function<std::string(int error)> describe;

    /// On the rank that writes expired.json: what the library's own monitor says of the job. Takes
    /// 1.5 s at most.
    std::function<std::string()> evidence;

    /// Before the process ends by the deadline: gives up what hangs. May take long.
    std::function<void()> abandon;
};

}  // namespace railgauge
