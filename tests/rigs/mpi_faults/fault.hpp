// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace railgauge::faults {

enum class Action {
    hang_before,  ///< never makes the call
    hang_after,   ///< makes the call, never returns
    die,          ///< SIGKILL to itself instead of the call
    stop,         ///< SIGSTOP to itself before the call
    corrupt,      ///< flips one bit of what the call received
    slow          ///< sleeps before this call and every later one
};

/// One fault of RG_FAULT.
struct Fault {
    int rank = 0;
    std::string function;
    std::uint64_t call = 1;  ///< 1 = the rank's first call of the function
    Action action = Action::hang_before;
    int delay_ms = 0;
};

/// Faults of "rank=2,function=MPI_Allreduce,call=100,action=hang_before;rank=0,...". `call` may be
/// left out.
/// @throws std::invalid_argument naming the mistake
std::vector<Fault> parse_faults(const std::string& text);

}  // namespace railgauge::faults
