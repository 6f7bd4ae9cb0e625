// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "watchdog/judgement.hpp"
#include "watchdog/plan.hpp"

namespace railgauge::board {

/// What the library under test says of the hang.
struct LibraryReport {
    std::function<std::string(int error)> describe;  ///< empty: no such library
    std::string evidence;                            ///< of its own monitor; empty = none
};

/// What expired.json tells (docs/run-file.md).
struct ExpiredReport {
    std::string schema;
    Judgement judgement;
    std::vector<RankEntry> ranks;  ///< rank 0 first; all of them, or those that the writer knows
    milliseconds deadline{0};
    milliseconds elapsed{0};
    std::string text;
    LibraryReport library;
};

/// One JSON object.
std::string to_json(const ExpiredReport& report, const Plan& plan);

/// The case whose status is `expired`: that of rank 0, which writes the cases, when it is in one.
int expired_case(const ExpiredReport& report);

}  // namespace railgauge::board
