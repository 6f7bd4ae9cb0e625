// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Addresses are checked when the call is made and found anew when it runs.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include "allocations.hpp"
#include "errors.hpp"
#include "streams.hpp"

using namespace gpu_double;

namespace {

enum class Side { device, host, any };

struct Sides {
    Side destination;
    Side source;
};

struct Copy {
    void* destination;
    const void* source;
    std::size_t bytes;
};

Sides sides_of(cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToHost: return {Side::host, Side::host};
        case cudaMemcpyHostToDevice: return {Side::device, Side::host};
        case cudaMemcpyDeviceToHost: return {Side::host, Side::device};
        case cudaMemcpyDeviceToDevice: return {Side::device, Side::device};
        default: return {Side::any, Side::any};
    }
}

// The kernel refuses msync on a range with a hole; MS_ASYNC itself does nothing.
bool is_mapped(const void* pointer, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const std::uintptr_t page = address & ~std::uintptr_t{4095};
    return msync(reinterpret_cast<void*>(page), bytes + (address - page), MS_ASYNC) == 0;
}

bool acceptable(const void* pointer, std::size_t bytes, Side side) {
    const auto place = allocations().find(pointer);
    if (!place) return side != Side::device && is_mapped(pointer, bytes);
    if (side == Side::host && place->kind == MemoryKind::device) return false;
    return place->bytes_left >= bytes;
}

cudaError_t check(const Copy& copy, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    const Sides sides = sides_of(kind);
    const bool fine = acceptable(copy.destination, copy.bytes, sides.destination) &&
                      acceptable(copy.source, copy.bytes, sides.source);
    return fine ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_pageable(const void* pointer) {
    return !allocations().find(pointer);
}

// Pageable memory is its own address; freed device memory is not mapped any more.
char* address_at_run_time(const void* pointer, std::size_t bytes) {
    if (char* found = allocations().find(pointer, bytes)) return found;
    auto* itself = static_cast<char*>(const_cast<void*>(pointer));
    return is_pageable(pointer) && is_mapped(pointer, bytes) ? itself : nullptr;
}

void illegal_address(const char* what) {
    std::fprintf(stderr, "GPU double: the memory of a %s was freed before it ran\n", what);
    raise_asynchronous_error(cudaErrorIllegalAddress);
}

void run(const Copy& copy) {
    char* destination = address_at_run_time(copy.destination, copy.bytes);
    const char* source = address_at_run_time(copy.source, copy.bytes);
    if (destination == nullptr || source == nullptr) return illegal_address("copy");
    std::memmove(destination, source, copy.bytes);
}

cudaError_t submit(const Copy& copy, cudaMemcpyKind kind, CUstream_st& stream) {
    if (copy.bytes == 0) return cudaSuccess;
    const cudaError_t error = check(copy, kind);
    if (error != cudaSuccess) return report(error);
    enqueue(stream, [copy] { run(copy); });
    return cudaSuccess;
}

// As on a GPU, the caller may reuse pageable memory at once, which pinned memory does not promise.
bool must_wait(const Copy& copy, const CUstream_st& stream) {
    return !stream.is_capturing() && (is_pageable(copy.destination) || is_pageable(copy.source));
}

cudaError_t finish(CUstream_st& stream) {
    stream.synchronize();
    return report(asynchronous_error());
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t handle) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    const Copy copy{destination, source, bytes};
    const cudaError_t error = submit(copy, kind, *stream);
    if (error != cudaSuccess || bytes == 0) return error;
    return must_wait(copy, *stream) ? finish(*stream) : cudaSuccess;
}

cudaError_t cudaMemcpy(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
    const auto stream = find_stream(nullptr);
    const cudaError_t error = submit({destination, source, bytes}, kind, *stream);
    return error != cudaSuccess ? error : finish(*stream);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int, const void* source, int, size_t bytes,
                                cudaStream_t stream) {
    return cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void* destination, int, const void* source, int, size_t bytes) {
    return cudaMemcpy(destination, source, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemsetAsync(void* destination, int value, size_t bytes, cudaStream_t handle) {
    const auto stream = find_stream(handle);
    if (!stream) return report(cudaErrorInvalidResourceHandle);
    if (bytes == 0) return cudaSuccess;
    if (!acceptable(destination, bytes, Side::device)) return report(cudaErrorInvalidValue);
    enqueue(*stream, [=] {
        char* memory = allocations().find(destination, bytes);
        if (memory == nullptr) return illegal_address("fill");
        std::memset(memory, value, bytes);
    });
    return cudaSuccess;
}

cudaError_t cudaMemset(void* destination, int value, size_t bytes) {
    return cudaMemsetAsync(destination, value, bytes, nullptr);
}
}
