// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "mpi/board/frame.hpp"

namespace railgauge::board {

/// Runs `work` in a thread of its own and waits for it no longer than `limit`: for work that
/// touches a file system, which may hang, just before the process ends.
/// @return whether it finished
bool run_bounded(std::function<void()> work, milliseconds limit);

}  // namespace railgauge::board
