// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse() {
    throw Error(ExitCode::usage, "not configured: built without UCX", "--backend ucx needs it",
                "rebuild with UCX, or use another --backend");
}

}  // namespace

void require_ucx_transport(std::string_view /*memory*/) {
    refuse();
}

std::unique_ptr<Fabric> make_ucx_fabric(const FabricOptions& /*options*/) {
    refuse();
}

}  // namespace railgauge
