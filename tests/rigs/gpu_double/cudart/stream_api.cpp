// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "devices.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"
#include "streams.hpp"

using namespace gpu_double;

namespace {

constexpr int greatest_priority = -5;

// An operation that another library brought.
class ForeignOperation : public Operation {
  public:
    explicit ForeignOperation(const gpu_double_operation& operation) : operation_(operation) {}
    ~ForeignOperation() override { operation_.destroy(operation_.state); }
    ForeignOperation(const ForeignOperation&) = delete;
    ForeignOperation& operator=(const ForeignOperation&) = delete;
    void submitted() override {
        if (operation_.submitted != nullptr) operation_.submitted(operation_.state);
    }
    void run() override { operation_.run(operation_.state); }

  private:
    gpu_double_operation operation_;
};

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return report(cudaErrorInvalidValue);
    const auto kind = (flags & cudaStreamNonBlocking) != 0 ? CUstream_st::Kind::independent
                                                           : CUstream_st::Kind::blocking;
    *stream = add_stream(current_device(), kind, priority);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = greatest_priority;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    const auto stream = remove_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    stream->close();
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    if (stream->is_capturing()) return report(cudaErrorStreamCaptureUnsupported);
    stream->synchronize();
    return report(asynchronous_error());
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    if (stream->is_capturing()) return report(cudaErrorStreamCaptureUnsupported);
    return report(stream->is_idle() ? asynchronous_error() : cudaErrorNotReady);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    *flags = stream->kind() == CUstream_st::Kind::independent ? cudaStreamNonBlocking : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    *priority = stream->priority();
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    *device = stream->device();
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    enqueue(*stream, [function, data] { function(data); });
    return cudaSuccess;
}

cudaError_t gpu_double_enqueue(cudaStream_t handle, const gpu_double_operation* operation) {
    OperationPointer foreign = std::make_shared<ForeignOperation>(*operation);
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    enqueue(*stream, std::move(foreign));
    return cudaSuccess;
}
}
