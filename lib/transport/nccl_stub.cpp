// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "transport/transport.hpp"

namespace railgauge {

void require_nccl_transport(std::string_view /*memory*/) {
    throw Error(ExitCode::usage, "not configured: built without NCCL", "transport 'nccl' needs it",
                "use --backend mpi");
}

std::unique_ptr<Transport> make_nccl_transport(MPI_Comm /*comm*/) {
    require_nccl_transport("");
    return nullptr;
}

}  // namespace railgauge
