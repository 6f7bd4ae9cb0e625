// SPDX-License-Identifier: Apache-2.0
#include "nccl/dumps.hpp"

#include <cstdlib>
#include <system_error>

#include "base/log.hpp"

namespace railgauge {
namespace {

struct Dump {
    const char* variable;
    const char* file;
};

constexpr Dump dumps[] = {{"NCCL_TOPO_DUMP_FILE", "nccl-topology.xml"},
                          {"NCCL_GRAPH_DUMP_FILE", "nccl-graph.xml"}};

}  // namespace

void arm_dumps(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        log_root("NCCL's topology is not kept: '{}' cannot be made ({})", folder.native(),
                 error.message());
        return;
    }
    constexpr int keep = 0;
    for (const Dump& dump : dumps) {
        const std::filesystem::path path = std::filesystem::absolute(folder) / dump.file;
        ::setenv(dump.variable, path.c_str(), keep);
    }
}

}  // namespace railgauge
