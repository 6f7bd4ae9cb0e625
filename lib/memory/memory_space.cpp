// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_space.hpp"

#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "memory/cuda.hpp"

namespace railgauge {

void require_share(std::uint64_t needed_bytes, const MemoryShare& share,
                   const MemorySpace& memory) {
    if (needed_bytes <= share.bytes) return;
    throw Error(ExitCode::usage,
                fmt::format("the buffers of one rank take {}", format_bytes(needed_bytes)),
                fmt::format("a node with {} ranks has {} of {} memory for each",
                            share.ranks_per_node, format_bytes(share.bytes), memory.name()),
                "use smaller --sizes or fewer ranks per node");
}

std::unique_ptr<MemorySpace> make_memory_space(std::string_view name) {
    if (name == "host") return make_host_memory();
    if (name == "cuda") return make_cuda_memory();
    throw Error(ExitCode::usage, fmt::format("memory '{}' is unknown", name),
                "buffers live in host or cuda", "use --memory host");
}

}  // namespace railgauge
