// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "gpu_double.hpp"

namespace gpu_double {
namespace {

struct ErrorText {
    cudaError_t code;
    const char* name;
    const char* text;
};

constexpr std::array error_texts{
    ErrorText{cudaSuccess, "cudaSuccess", "no error"},
    ErrorText{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    ErrorText{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorText{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
              "invalid configuration argument"},
    ErrorText{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
              "invalid copy direction for memcpy"},
    ErrorText{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
              "invalid device function"},
    ErrorText{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorText{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
              "invalid resource handle"},
    ErrorText{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    ErrorText{cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
              "an illegal memory access was encountered"},
    ErrorText{cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
              "peer access is already enabled"},
    ErrorText{cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
              "part or all of the requested memory range is already mapped"},
    ErrorText{cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
              "pointer does not correspond to a registered memory region"},
    ErrorText{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    ErrorText{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"},
    ErrorText{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
              "the stream is not the origin of the capture"},
    ErrorText{cudaErrorIllegalState, "cudaErrorIllegalState",
              "the operation cannot be performed in the present state"},
    ErrorText{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find_text(cudaError_t error) {
    const auto* found =
        std::find_if(error_texts.begin(), error_texts.end(),
                     [error](const ErrorText& candidate) { return candidate.code == error; });
    return found == error_texts.end() ? nullptr : found;
}

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> sticky_error{cudaSuccess};

}  // namespace

cudaError_t report(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

void raise_asynchronous_error(cudaError_t error) {
    cudaError_t none = cudaSuccess;
    sticky_error.compare_exchange_strong(none, error);
}

cudaError_t asynchronous_error() {
    return sticky_error;
}

void clear_errors() {
    sticky_error = cudaSuccess;
    last_error = cudaSuccess;
}

}  // namespace gpu_double

using namespace gpu_double;

extern "C" {

const char railgauge_gpu_double[] = "railgauge GPU double 1";

cudaError_t cudaPeekAtLastError() {
    const cudaError_t sticky = asynchronous_error();
    return sticky != cudaSuccess ? sticky : last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

const char* cudaGetErrorName(cudaError_t error) {
    const auto* found = find_text(error);
    return found != nullptr ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    const auto* found = find_text(error);
    return found != nullptr ? found->text : "unrecognized error code";
}
}
