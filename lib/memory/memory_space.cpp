// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_space.hpp"

#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "memory/cuda.hpp"

namespace railgauge {

std::unique_ptr<MemorySpace> make_memory_space(std::string_view name) {
    if (name == "host") return make_host_memory();
    if (name == "cuda") return make_cuda_memory();
    throw Error(ExitCode::usage, fmt::format("memory '{}' is unknown", name),
                "buffers live in host or cuda", "use --memory host");
}

}  // namespace railgauge
