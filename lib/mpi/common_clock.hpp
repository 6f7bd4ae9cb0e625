// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <mpi.h>

#include "measure/clock.hpp"
#include "mpi/placement.hpp"

namespace railgauge {

/// common time = this rank's clock + offset_ns, true to +- error_ns. The common clock is rank 0's.
struct ClockOffset {
    std::int64_t offset_ns = 0;
    std::int64_t error_ns = 0;
};

/// Collective. Ranks whose kernel is rank 0's share its clock (offset 0, error 0); the leader of
/// every other kernel measures by ping-pong with rank 0 and keeps the exchange of least round trip,
/// whose half is the bound (Cristian's method), then tells its kernel's other ranks.
ClockOffset synchronise_clocks(MPI_Comm comm, const Placement& placement, Clock clock);

}  // namespace railgauge
