// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "collectives/collectives.hpp"

namespace railgauge {

std::unique_ptr<Collectives> make_nccl_collectives(MPI_Comm /*comm*/) {
    throw Error(ExitCode::usage, "not configured: built without NCCL", "backend 'nccl' needs it",
                "use --backend mpi");
}

}  // namespace railgauge
