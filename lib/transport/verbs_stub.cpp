// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse() {
    throw Error(ExitCode::usage, "not configured: built without RDMA verbs",
                "--backend verbs needs it", "rebuild with libibverbs, or use another --backend");
}

}  // namespace

void require_verbs_transport(std::string_view /*memory*/) {
    refuse();
}

std::unique_ptr<Fabric> make_verbs_fabric(const FabricOptions& /*options*/) {
    refuse();
}

}  // namespace railgauge
