// SPDX-License-Identifier: Apache-2.0
#include "cuda/handles.hpp"

namespace railgauge {

CudaStream make_stream() {
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a CUDA stream");
    return CudaStream(stream);
}

CudaEvent make_event() {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreate(&event), "making a CUDA event");
    return CudaEvent(event);
}

}  // namespace railgauge
