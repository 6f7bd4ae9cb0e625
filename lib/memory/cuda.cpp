// SPDX-License-Identifier: Apache-2.0
#include "memory/cuda.hpp"

#include <algorithm>
#include <cstring>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "cuda/check.hpp"
#include "cuda/clear.hpp"
#include "memory/available.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse(std::size_t size, const char* what, cudaError_t result) {
    throw Error(ExitCode::library,
                fmt::format("{} of {} memory cannot be had", format_bytes(size), what),
                fmt::format("CUDA says: {}", cudaGetErrorString(result)),
                "use smaller sizes, or end what else uses it");
}

/// A function of the driver, found by the runtime, so that a program starts without a driver; none
/// where there is no such.
PFN_cuMemGetHandleForAddressRange_v11070 find_exporter() {
    constexpr unsigned since_version = 11070;
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t result = cudaGetDriverEntryPointByVersion(
        "cuMemGetHandleForAddressRange", &function, since_version, cudaEnableDefault, &found);
    if (result != cudaSuccess || found != cudaDriverEntryPointSuccess) return nullptr;
    return reinterpret_cast<PFN_cuMemGetHandleForAddressRange_v11070>(function);
}

/// The driver exports whole pages of the host's size.
std::optional<DmaBuf> export_pages(const void* data, std::size_t size) {
    const auto exporter = find_exporter();
    if (exporter == nullptr) return std::nullopt;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = begin / page * page;
    const std::uintptr_t end = (begin + size + page - 1) / page * page;
    int file = -1;
    if (exporter(&file, first, end - first, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0) != CUDA_SUCCESS)
        return std::nullopt;
    return DmaBuf{FileDescriptor(file), begin - first};
}

class DeviceMemory : public MemorySpace {
  public:
    std::string_view name() const override { return "cuda"; }

    Buffer allocate(std::size_t size) override {
        void* data = nullptr;
        const std::size_t least = std::max<std::size_t>(size, 1);
        const cudaError_t result = cudaMalloc(&data, least);
        if (result != cudaSuccess) refuse(size, "GPU", result);
        Buffer buffer(data, size, [](void* memory) {
            if (memory != nullptr) log_cuda_error(cudaFree(memory), "freeing GPU memory");
        });
        clear_gpu_memory(data, least);
        return buffer;
    }

    /// Each rank has a GPU of its own. An eighth stays with the libraries' own buffers.
    std::uint64_t available_bytes(int /*ranks*/) const override {
        std::size_t free = 0;
        std::size_t total = 0;
        check_cuda(cudaMemGetInfo(&free, &total), "asking for free GPU memory");
        return free / 8 * 7;
    }

    bool is_host_addressable() const override { return false; }

    void write(void* to, std::span<const std::byte> data) override {
        check_cuda(cudaMemcpy(to, data.data(), data.size(), cudaMemcpyHostToDevice),
                   "copying to the GPU");
        // A copy from pageable memory returns when it is staged, not when it has arrived.
        check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "copying to the GPU");
    }

    void read(const void* from, std::span<std::byte> data) const override {
        check_cuda(cudaMemcpy(data.data(), from, data.size(), cudaMemcpyDeviceToHost),
                   "copying from the GPU");
    }

    std::optional<DmaBuf> export_dma_buf(const void* data, std::size_t size) const override {
        return export_pages(data, size);
    }
};

class PinnedMemory : public MemorySpace {
  public:
    std::string_view name() const override { return "pinned"; }

    Buffer allocate(std::size_t size) override {
        void* data = nullptr;
        const std::size_t least = std::max<std::size_t>(size, 1);
        const cudaError_t result = cudaMallocHost(&data, least);
        if (result != cudaSuccess) refuse(size, "pinned host", result);
        std::memset(data, 0, least);
        return {data, size, [](void* memory) {
                    if (memory != nullptr)
                        log_cuda_error(cudaFreeHost(memory), "freeing pinned memory");
                }};
    }

    /// Half of it: pinned pages cannot be swapped or reclaimed.
    std::uint64_t available_bytes(int ranks) const override {
        return available_memory_bytes() / 2 / static_cast<std::uint64_t>(ranks);
    }
};

}  // namespace

std::unique_ptr<MemorySpace> make_cuda_memory() {
    return std::make_unique<DeviceMemory>();
}

std::unique_ptr<MemorySpace> make_pinned_memory() {
    return std::make_unique<PinnedMemory>();
}

}  // namespace railgauge
