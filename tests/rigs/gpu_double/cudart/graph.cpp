// SPDX-License-Identifier: Apache-2.0
// A graph is the list of captured operations; launching it submits them all.
#include <vector>

#include <cuda_runtime_api.h>

#include "errors.hpp"
#include "gpu_double.hpp"
#include "handles.hpp"
#include "streams.hpp"

struct CUgraph_st {
    std::vector<gpu_double::OperationPointer> operations;
};

struct CUgraphExec_st {
    std::vector<gpu_double::OperationPointer> operations;
};

using namespace gpu_double;

namespace {

Handles<CUgraph_st>& graphs() {
    static auto* const all = new Handles<CUgraph_st>;
    return *all;
}

Handles<CUgraphExec_st>& executables() {
    static auto* const all = new Handles<CUgraphExec_st>;
    return *all;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    if (stream->kind() == CUstream_st::Kind::legacy)
        return report(cudaErrorStreamCaptureUnsupported);
    if (stream->is_capturing()) return report(cudaErrorIllegalState);
    auto capture = std::make_shared<Capture>();
    capture->origin = stream.get();
    stream->join(std::move(capture));
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    if (!stream->is_capturing()) return report(cudaErrorIllegalState);
    const auto capture = stream->capture();
    if (capture->origin != stream.get()) return report(cudaErrorStreamCaptureUnmatched);
    capture->open = false;
    stream->join(nullptr);
    auto recorded = std::make_shared<CUgraph_st>();
    recorded->operations = std::move(capture->operations);
    *graph = graphs().add(std::move(recorded));
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    *status = stream->is_capturing() ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

// Counts only: the double's nodes have no handles.
cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
    const auto graph = graphs().find(handle);
    if (!graph || nodes != nullptr) return report(cudaErrorInvalidValue);
    *count = graph->operations.size();
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t handle,
                                 unsigned long long) {
    const auto graph = graphs().find(handle);
    if (!graph) return report(cudaErrorInvalidValue);
    auto copy = std::make_shared<CUgraphExec_st>();
    copy->operations = graph->operations;
    *executable = executables().add(std::move(copy));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t) {
    return report(executables().find(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    const auto executable = executables().find(handle);
    const auto stream = find_stream(stream_handle);
    if (!executable || !stream) return report(cudaErrorInvalidResourceHandle);
    for (const auto& operation : executable->operations)
        enqueue(*stream, operation);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return report(executables().remove(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return report(graphs().remove(handle) ? cudaSuccess : cudaErrorInvalidValue);
}
}
