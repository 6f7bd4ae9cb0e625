// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "cuda/check.hpp"

namespace railgauge {

struct DestroyStream {
    void operator()(cudaStream_t stream) const noexcept {
        log_cuda_error(cudaStreamDestroy(stream), "destroying a CUDA stream");
    }
};
struct DestroyEvent {
    void operator()(cudaEvent_t event) const noexcept {
        log_cuda_error(cudaEventDestroy(event), "destroying a CUDA event");
    }
};
struct DestroyGraph {
    void operator()(cudaGraph_t graph) const noexcept {
        log_cuda_error(cudaGraphDestroy(graph), "destroying a CUDA graph");
    }
};
struct DestroyGraphExec {
    void operator()(cudaGraphExec_t graph) const noexcept {
        log_cuda_error(cudaGraphExecDestroy(graph), "destroying an executable CUDA graph");
    }
};

using CudaStream = std::unique_ptr<CUstream_st, DestroyStream>;
using CudaEvent = std::unique_ptr<CUevent_st, DestroyEvent>;
using CudaGraph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using CudaGraphExec = std::unique_ptr<CUgraphExec_st, DestroyGraphExec>;

/// A stream that does not wait for the legacy default stream.
CudaStream make_stream();

/// An event that takes the time.
CudaEvent make_event();

}  // namespace railgauge
