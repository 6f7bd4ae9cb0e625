// SPDX-License-Identifier: Apache-2.0
#include "collectives/collectives.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

std::unique_ptr<Collectives> make_collectives(std::string_view backend, MPI_Comm comm) {
    if (backend == "mpi") return make_mpi_collectives(comm);
    if (backend == "nccl") return make_nccl_collectives(comm);
    throw Error(ExitCode::usage, fmt::format("backend '{}' is unknown", backend),
                "collectives run on mpi or nccl", "use --backend mpi");
}

}  // namespace railgauge
