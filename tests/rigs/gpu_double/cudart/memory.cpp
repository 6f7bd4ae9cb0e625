// SPDX-License-Identifier: Apache-2.0
// Getting and giving back memory.
#include <cstdio>

#include <cuda_runtime_api.h>

#include "allocations.hpp"
#include "devices.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"
#include "streams.hpp"

using namespace gpu_double;

namespace {

cudaError_t hand_out(void** pointer, void* memory) {
    *pointer = memory;
    return report(memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

// As on a GPU, work that may still use the memory is waited for.
cudaError_t release(void* pointer, MemoryKind kind, cudaError_t unknown) {
    if (pointer == nullptr) return cudaSuccess;
    const auto place = allocations().find(pointer);
    if (!place) return report(unknown);
    kind == MemoryKind::device ? synchronize_device(place->device) : synchronize_all_devices();
    return report(allocations().release(pointer, kind) ? asynchronous_error() : unknown);
}

void fill_attributes(cudaPointerAttributes& attributes, const Place& place, void* pointer) {
    attributes.device = place.device;
    attributes.devicePointer = pointer;
    if (place.kind == MemoryKind::device) {
        attributes.type = cudaMemoryTypeDevice;
        return;
    }
    attributes.type = cudaMemoryTypeHost;
    attributes.hostPointer = pointer;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    if (pointer == nullptr) return report(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    return hand_out(pointer, allocations().allocate_device(current_device(), bytes));
}

cudaError_t cudaFree(void* pointer) {
    return release(pointer, MemoryKind::device, cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
    if (pointer == nullptr) return report(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    return hand_out(pointer, allocations().allocate_pinned(current_device(), bytes));
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaFreeHost(void* pointer) {
    return release(pointer, MemoryKind::pinned, cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
    if (pointer == nullptr || bytes == 0) return report(cudaErrorInvalidValue);
    const bool added = allocations().register_host(current_device(), pointer, bytes);
    return report(added ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
    return release(pointer, MemoryKind::registered, cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned) {
    const auto place = allocations().find(pointer);
    if (!place || place->kind == MemoryKind::device) return report(cudaErrorInvalidValue);
    *device_pointer = pointer;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    *free_bytes = allocations().free_bytes(current_device());
    *total_bytes = device_memory_bytes;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // cudaInvalidDeviceId
    attributes->hostPointer = const_cast<void*>(pointer);
    const auto place = allocations().find(pointer);
    if (!place) return cudaSuccess;
    attributes->hostPointer = nullptr;
    fill_attributes(*attributes, *place, const_cast<void*>(pointer));
    return cudaSuccess;
}

// There is no driver below: nothing of it is found, and memory is exported to no other device.
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
    *function = nullptr;
    if (found != nullptr) *found = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

void* gpu_double_find(const void* pointer, std::size_t bytes) {
    return allocations().find(pointer, bytes);
}

void* gpu_double_host_address(const void* device_pointer) {
    if (void* found = allocations().find(device_pointer, 1)) return found;
    std::fprintf(stderr, "GPU double: a kernel was given %p, which is in no allocation\n",
                 device_pointer);
    raise_asynchronous_error(cudaErrorIllegalAddress);
    return nullptr;
}

cudaError_t gpu_double_take_memory(int device, std::size_t bytes) {
    return allocations().take(device, bytes) ? cudaSuccess : cudaErrorMemoryAllocation;
}

void gpu_double_give_memory(int device, std::size_t bytes) {
    allocations().give(device, bytes);
}
}
