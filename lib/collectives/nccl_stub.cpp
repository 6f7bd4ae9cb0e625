// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "collectives/collectives.hpp"

namespace railgauge {

void require_nccl(std::string_view /*memory*/) {
    throw Error(ExitCode::usage, "not configured: built without NCCL", "backend 'nccl' needs it",
                "use --backend mpi");
}

std::unique_ptr<Collectives> make_nccl_collectives(const CollectivesSetting& /*setting*/) {
    require_nccl("");
    return nullptr;
}

}  // namespace railgauge
