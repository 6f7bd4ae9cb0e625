// SPDX-License-Identifier: Apache-2.0
#include "cuda/gpu.hpp"

#include <array>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "cuda/check.hpp"

namespace railgauge {
namespace {

Gpu bound;

/// As nvidia-smi writes it: 4-2-2-2-6 bytes.
std::string uuid_text(const cudaUUID_t& uuid) {
    std::string text = "GPU";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        const bool begins_part = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        text += fmt::format("{}{:02x}", begins_part ? "-" : "",
                            static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

/// No device, no driver and a driver too old are all no GPU; CUDA's text says which.
int count_gpus() {
    int gpus = 0;
    const cudaError_t result = cudaGetDeviceCount(&gpus);
    if (result == cudaSuccess) return gpus;
    if (result == cudaErrorNoDevice) return 0;
    throw Error(ExitCode::usage, "no GPU can be used here",
                fmt::format("CUDA says: {}", cudaGetErrorString(result)),
                "install a driver for this CUDA, or use --backend mpi --memory host");
}

Gpu describe(int index) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, index), "asking for a GPU's properties");
    std::array<char, 32> pci{};
    check_cuda(cudaDeviceGetPCIBusId(pci.data(), pci.size(), index), "asking for a GPU's address");
    return {index,           uuid_text(properties.uuid), pci.data(),
            properties.name, properties.major,           properties.minor};
}

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Gpu bind_gpu(int local_rank, int local_ranks) {
    const int index = choose_gpu(count_gpus(), local_rank, local_ranks);
    check_cuda(cudaSetDevice(index), "choosing the rank's GPU");
    bound = describe(index);
    return bound;
}

const Gpu& bound_gpu() {
    return bound;
}

bool is_gpu_double() {
    return ::dlsym(RTLD_DEFAULT, "railgauge_gpu_double") != nullptr;
}

CudaVersions cuda_versions() {
    CudaVersions versions;
    versions.build = version_text(CUDART_VERSION);
    int version = 0;
    if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        versions.driver = version_text(version);
    if (cudaRuntimeGetVersion(&version) == cudaSuccess) versions.runtime = version_text(version);
    return versions;
}

}  // namespace railgauge
