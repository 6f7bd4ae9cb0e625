// SPDX-License-Identifier: Apache-2.0
#include "collectives/collectives.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

void require_backend(std::string_view backend) {
    if (backend == "mpi") return;
    if (backend == "nccl") return require_nccl();
    throw Error(ExitCode::usage, fmt::format("backend '{}' is unknown", backend),
                "collectives run on mpi or nccl", "use --backend mpi");
}

std::unique_ptr<Collectives> make_collectives(std::string_view backend, MPI_Comm comm) {
    require_backend(backend);
    return backend == "nccl" ? make_nccl_collectives(comm) : make_mpi_collectives(comm);
}

}  // namespace railgauge
