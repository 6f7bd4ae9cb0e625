// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge::board {

/// Writes "<program>: rank <rank>: <text>" as one line to stderr, the rank for ranks other than 0.
///
/// Apart from the log of lib/base because the watchdog must never be held up: a line that the other
/// end of a full pipe does not take within half a second is dropped.
void say(const std::string& program, int rank, const std::string& text);

}  // namespace railgauge::board
