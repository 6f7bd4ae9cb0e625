// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace railgauge {

/// Whether this rank's node has as many ranks as CPUs it may use, or more: then a rank that waits
/// must let others run. Collective over `comm`.
bool shares_cpus(MPI_Comm comm);

}  // namespace railgauge
