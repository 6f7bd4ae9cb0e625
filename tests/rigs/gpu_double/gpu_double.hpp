// SPDX-License-Identifier: Apache-2.0
// What the double's libcudart offers beyond CUDA: to kernel twins, to the double's NCCL and to
// tests.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

extern "C" {

extern const char railgauge_gpu_double[];

// The host's view of device memory (pinned memory is its own view). An address that is in no
// allocation raises cudaErrorIllegalAddress, says so on stderr and gives nullptr.
void* gpu_double_host_address(const void* device_pointer);

// The same without complaint, for `bytes` bytes: nullptr unless all of them are in one allocation.
void* gpu_double_find(const void* pointer, std::size_t bytes);

// An operation of a stream. `submitted` (may be null) is called by the host thread each time the
// operation enters a stream, `run` by the stream's thread, `destroy` once.
struct gpu_double_operation {
    void (*submitted)(void* state);
    void (*run)(void* state);
    void (*destroy)(void* state);
    void* state;
};
cudaError_t gpu_double_enqueue(cudaStream_t stream, const gpu_double_operation* operation);

// Books device memory that no pointer stands for, as a library's internal buffers are.
cudaError_t gpu_double_take_memory(int device, std::size_t bytes);
void gpu_double_give_memory(int device, std::size_t bytes);
}
