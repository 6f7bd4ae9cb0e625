// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_space.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/units.hpp"
#include "memory/cuda.hpp"

namespace railgauge {
namespace {

struct MemoryRow {
    std::string_view name;
    std::unique_ptr<MemorySpace> (*make)();
    bool needs_gpu;
};

/// Every memory space. A new one is a file and a row.
constexpr std::array<MemoryRow, 4> table{{{"host", &make_host_memory, false},
                                          {"huge", &make_huge_memory, false},
                                          {"pinned", &make_pinned_memory, true},
                                          {"cuda", &make_cuda_memory, true}}};

}  // namespace

void MemorySpace::write(void* to, std::span<const std::byte> data) {
    std::memcpy(to, data.data(), data.size());
}

void MemorySpace::read(const void* from, std::span<std::byte> data) const {
    std::memcpy(data.data(), from, data.size());
}

std::optional<DmaBuf> MemorySpace::export_dma_buf(const void* /*data*/,
                                                  std::size_t /*size*/) const {
    return std::nullopt;
}

void require_share(std::uint64_t needed_bytes, const MemoryShare& share,
                   const MemorySpace& memory) {
    if (needed_bytes <= share.bytes) return;
    throw Error(ExitCode::usage,
                fmt::format("the buffers of one rank take {}", format_bytes(needed_bytes)),
                fmt::format("a node with {} ranks has {} of {} memory for each",
                            share.ranks_per_node, format_bytes(share.bytes), memory.name()),
                "use smaller --sizes or fewer ranks per node");
}

std::vector<std::string> memory_names() {
    return names_of(table);
}

bool needs_gpu(std::string_view name) {
    return row_named(table, name, "memory").needs_gpu;
}

void require_gpu_reaches(std::string_view memory) {
    if (needs_gpu(memory)) return;
    throw Error(ExitCode::usage, fmt::format("a GPU cannot use memory '{}'", memory),
                "it reaches its own and what is pinned for it", "use --memory cuda or pinned");
}

std::unique_ptr<MemorySpace> make_memory_space(std::string_view name) {
    return row_named(table, name, "memory").make();
}

}  // namespace railgauge
