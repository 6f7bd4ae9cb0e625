// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace railgauge {

/// Throws Error(library) naming `doing` and CUDA's text unless `result` is cudaSuccess. Inline
/// test, so that it may stand after a call in a timed loop; the throwing path is out of line.
[[noreturn]] void throw_cuda_error(cudaError_t result, const char* doing);

inline void check_cuda(cudaError_t result, const char* doing) {
    if (result != cudaSuccess) [[unlikely]]
        throw_cuda_error(result, doing);
}

/// For destructors: logs instead of throwing.
void log_cuda_error(cudaError_t result, const char* doing) noexcept;

}  // namespace railgauge
