// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

#include "mpi/common_clock.hpp"
#include "mpi/placement.hpp"
#include "program/command_line.hpp"
#include "record/run_context.hpp"

namespace railgauge {

/// What rank 0 writes into the run's header: rows of all ranks and facts of all nodes, gathered in
/// one exchange. Collective; the result is complete on rank 0 only.
RunContext gather_run_context(MPI_Comm comm, const Placement& placement, const ClockOffset& clock,
                              const CommandLine& line, const std::string& program);

/// Gives this rank its GPU. Collective: two ranks of a node must not have the same one.
/// @throws AgreedError(usage) when the build lacks CUDA, the node GPUs, or ranks share one
void bind_gpus(MPI_Comm comm, Team& team, const Placement& placement);

/// @throws AgreedError(usage) naming the first rank whose arguments or version differ from rank 0's
void agree_on_command(MPI_Comm comm, Team& team, const CommandLine& line);

}  // namespace railgauge
