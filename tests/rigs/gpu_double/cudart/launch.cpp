// SPDX-License-Identifier: Apache-2.0
// Launching a kernel: its arguments are copied, its twin runs in the stream.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime_api.h>

#include "errors.hpp"
#include "gpu_double.hpp"
#include "kernels.hpp"
#include "streams.hpp"

using namespace gpu_double;

namespace {

constexpr unsigned most_threads_per_block = 1024;

class Arguments {
  public:
    Arguments(const unsigned* sizes, void** values) {
        std::vector<std::size_t> offsets;
        std::size_t units = 0;
        for (const unsigned* size = sizes; *size != 0; ++size) {
            offsets.push_back(units);
            units += (*size + sizeof(Unit) - 1) / sizeof(Unit);
        }
        storage_.resize(units);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            pointers_.push_back(&storage_[offsets[i]]);
            std::memcpy(pointers_.back(), values[i], sizes[i]);
        }
    }
    void** pointers() { return pointers_.data(); }

  private:
    using Unit = std::max_align_t;
    std::vector<Unit> storage_;
    std::vector<void*> pointers_;
};

class KernelLaunch : public Operation {
  public:
    KernelLaunch(Twin twin, const dim3& grid, const dim3& block, void** values)
        : twin_(twin), grid_(grid), block_(block), arguments_(twin.sizes, values) {}
    void run() override { twin_.run(&grid_, &block_, arguments_.pointers()); }

  private:
    Twin twin_;
    dim3 grid_;
    dim3 block_;
    Arguments arguments_;
};

bool is_possible(const dim3& grid, const dim3& block) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return false;
    const unsigned long threads = 1ul * block.x * block.y * block.z;
    return threads > 0 && threads <= most_threads_per_block;
}

cudaError_t without_twin(const std::string& kernel, const Twin& twin) {
    std::fprintf(stderr, "GPU double: kernel %s has no gpu_double_%s_%s\n", kernel.c_str(),
                 twin.run == nullptr ? "twin" : "sizes", kernel.c_str());
    return cudaErrorNotSupported;
}

cudaError_t launch(const void* stub, const dim3& grid, const dim3& block, void** values,
                   cudaStream_t handle) {
    const std::string kernel = kernel_name(stub);
    if (kernel.empty()) return cudaErrorInvalidDeviceFunction;
    if (!is_possible(grid, block)) return cudaErrorInvalidConfiguration;
    const auto stream = find_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    const Twin twin = find_twin(kernel);
    if (twin.run == nullptr || twin.sizes == nullptr) return without_twin(kernel, twin);
    OperationPointer operation = std::make_shared<KernelLaunch>(twin, grid, block, values);
    enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** values, size_t,
                             cudaStream_t stream) {
    return report(launch(stub, grid, block, values, stream));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub, void** values) {
    return report(launch(stub, config->gridDim, config->blockDim, values, config->stream));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
    *attributes = {};
    if (kernel_name(stub).empty()) return report(cudaErrorInvalidDeviceFunction);
    attributes->maxThreadsPerBlock = most_threads_per_block;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 103;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute, int) {
    return report(kernel_name(stub).empty() ? cudaErrorInvalidDeviceFunction : cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub,
                                                                   int threads, size_t, unsigned) {
    if (kernel_name(stub).empty()) return report(cudaErrorInvalidDeviceFunction);
    if (threads <= 0) return report(cudaErrorInvalidValue);
    *blocks = 2 * static_cast<int>(most_threads_per_block) / threads;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub,
                                                          int threads, size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads,
                                                                  shared_bytes, 0);
}
}
