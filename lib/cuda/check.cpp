// SPDX-License-Identifier: Apache-2.0
#include "cuda/check.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"

namespace railgauge {

void throw_cuda_error(cudaError_t result, const char* doing) {
    throw Error(
        ExitCode::library, fmt::format("{} failed", doing),
        fmt::format("CUDA says: {} ({})", cudaGetErrorString(result), cudaGetErrorName(result)),
        "look for Xid messages in the kernel log and check the GPU with nvidia-smi");
}

void log_cuda_error(cudaError_t result, const char* doing) noexcept {
    // At the end of the process the driver may be gone before the last handle.
    if (result == cudaSuccess || result == cudaErrorCudartUnloading) return;
    log_here("{} failed: {}", doing, cudaGetErrorString(result));
}

}  // namespace railgauge
