// SPDX-License-Identifier: Apache-2.0
#include "verbs/region.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "verbs/check.hpp"

namespace railgauge {
namespace {

// Completions order what is seen, not addresses, so that the PCIe bus may reorder writes.
constexpr int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                       IBV_ACCESS_RELAXED_ORDERING;

std::string text_of(int error) {
    return std::generic_category().message(error);
}

std::string problem(const Port& port, const MemorySpace& space, std::size_t size) {
    return fmt::format("{} of {} memory cannot be registered with {}", format_bytes(size),
                       space.name(), port.name);
}

MemoryRegion register_by_address(const Port& port, void* data, std::size_t size) {
    return MemoryRegion(ibv_reg_mr(port.domain.get(), data, size, access));
}

[[noreturn]] void refuse_host(const Port& port, const MemorySpace& space, std::size_t size,
                              int error) {
    if (error == ENOMEM)
        throw Error(ExitCode::library, problem(port, space, size),
                    fmt::format("{}; {}", text_of(error), locked_memory_limit()),
                    locked_memory_remedy);
    throw Error(ExitCode::library, problem(port, space, size), text_of(error),
                "see the kernel's log");
}

Region register_host(const Port& port, const MemorySpace& space, void* data, std::size_t size) {
    Region region{register_by_address(port, data, size), "host"};
    if (!region.handle) refuse_host(port, space, size, errno);
    return region;
}

/// None with the reason in `why_not`.
MemoryRegion register_dma_buf(const Port& port, const MemorySpace& space, void* data,
                              std::size_t size, std::string& why_not) {
    const std::optional<DmaBuf> exported = space.export_dma_buf(data, size);
    if (!exported) {
        why_not = "the GPU's driver exports no dma-buf";
        return nullptr;
    }
    MemoryRegion region(ibv_reg_dmabuf_mr(port.domain.get(), exported->offset, size,
                                          reinterpret_cast<std::uintptr_t>(data),
                                          exported->file.get(), access));
    if (!region) why_not = text_of(errno);
    return region;
}

Region register_gpu(const Port& port, const MemorySpace& space, void* data, std::size_t size) {
    std::string why_no_dma_buf;
    MemoryRegion by_dma_buf = register_dma_buf(port, space, data, size, why_no_dma_buf);
    if (by_dma_buf) return {std::move(by_dma_buf), "dma-buf"};
    MemoryRegion by_address = register_by_address(port, data, size);
    if (by_address) return {std::move(by_address), "peermem"};
    const std::string why_no_peermem = text_of(errno);
    throw Error(ExitCode::library, problem(port, space, size),
                fmt::format("dma-buf: {}; peermem: {}", why_no_dma_buf, why_no_peermem),
                "use the GPU's open kernel modules with a kernel of 5.12 or later, load the module "
                "nvidia-peermem, or use --memory pinned");
}

}  // namespace

Region register_memory(const Port& port, const MemorySpace& space, const Buffer& buffer) {
    const std::size_t size = std::max<std::size_t>(buffer.size(), 1);
    return space.is_host_addressable() ? register_host(port, space, buffer.data(), size)
                                       : register_gpu(port, space, buffer.data(), size);
}

}  // namespace railgauge
