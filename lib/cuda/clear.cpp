// SPDX-License-Identifier: Apache-2.0
#include "cuda/clear.hpp"

#include "cuda/check.hpp"

namespace railgauge {

void clear_gpu_memory(void* data, std::size_t bytes) {
    check_cuda(cudaMemsetAsync(data, 0, bytes, cudaStreamLegacy), "clearing GPU memory");
    check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "clearing GPU memory");
}

}  // namespace railgauge
