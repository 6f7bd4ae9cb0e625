// SPDX-License-Identifier: Apache-2.0
// What a GPU of the double says of itself: a B300 in name, so that code paths for it are taken.
#include <cstdio>
#include <cstring>
#include <string>

#include <cuda_runtime_api.h>

#include "allocations.hpp"
#include "devices.hpp"
#include "errors.hpp"

namespace gpu_double {
namespace {

constexpr int first_bus = 0x10;
constexpr int compute_major = 10;
constexpr int compute_minor = 3;
constexpr int multiprocessors = 148;
constexpr int warp_size = 32;
constexpr int most_threads_per_block = 1024;
constexpr int most_threads_per_multiprocessor = 2048;
constexpr int most_grid = 2147483647;
constexpr int most_grid_yz = 65535;
constexpr int shared_bytes = 48 << 10;
constexpr int shared_optin_bytes = 227 << 10;
constexpr int registers = 65536;
constexpr int l2_bytes = 126 << 20;
constexpr int copy_engines = 4;

int bus_of(int device) {
    return first_bus + physical_device(device);
}

std::string bus_id(int device) {
    char text[32];
    std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(bus_of(device)));
    return text;
}

void fill_limits(cudaDeviceProp& properties) {
    properties.sharedMemPerBlock = shared_bytes;
    properties.sharedMemPerBlockOptin = shared_optin_bytes;
    properties.regsPerBlock = registers;
    properties.warpSize = warp_size;
    properties.maxThreadsPerBlock = most_threads_per_block;
    properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = most_threads_per_block;
    properties.maxThreadsDim[2] = 64;
    properties.maxGridSize[0] = most_grid;
    properties.maxGridSize[1] = properties.maxGridSize[2] = most_grid_yz;
    properties.maxThreadsPerMultiProcessor = most_threads_per_multiprocessor;
    properties.maxBlocksPerMultiProcessor = warp_size;
    properties.l2CacheSize = l2_bytes;
}

void fill_features(cudaDeviceProp& properties) {
    properties.canMapHostMemory = 1;
    properties.concurrentKernels = 1;
    properties.ECCEnabled = 1;
    properties.asyncEngineCount = copy_engines;
    properties.unifiedAddressing = 1;
    properties.streamPrioritiesSupported = 1;
    properties.cooperativeLaunch = 1;
    properties.hostRegisterSupported = 1;
    properties.gpuDirectRDMASupported = 0;
}

// Zero stands for "no" and for what a host has no number for.
int attribute(cudaDeviceAttr name, int device) {
    switch (name) {
        case cudaDevAttrMaxThreadsPerBlock:
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY: return most_threads_per_block;
        case cudaDevAttrMaxBlockDimZ: return 64;
        case cudaDevAttrMaxGridDimX: return most_grid;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ: return most_grid_yz;
        case cudaDevAttrMaxSharedMemoryPerBlock: return shared_bytes;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return shared_optin_bytes;
        case cudaDevAttrMaxRegistersPerBlock: return registers;
        case cudaDevAttrWarpSize:
        case cudaDevAttrMaxBlocksPerMultiprocessor: return warp_size;
        case cudaDevAttrMultiProcessorCount: return multiprocessors;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return most_threads_per_multiprocessor;
        case cudaDevAttrL2CacheSize: return l2_bytes;
        case cudaDevAttrPciBusId: return bus_of(device);
        case cudaDevAttrAsyncEngineCount: return copy_engines;
        case cudaDevAttrComputeCapabilityMajor: return compute_major;
        case cudaDevAttrComputeCapabilityMinor: return compute_minor;
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrHostRegisterSupported: return 1;
        default: return 0;
    }
}

}  // namespace
}  // namespace gpu_double

using namespace gpu_double;

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!device_exists(device)) return report(cudaErrorInvalidDevice);
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "GPU double (B300)");
    std::memcpy(properties->uuid.bytes, "railgauge-dbl", 13);
    properties->uuid.bytes[15] = static_cast<char>(physical_device(device));
    properties->totalGlobalMem = device_memory_bytes;
    properties->major = compute_major;
    properties->minor = compute_minor;
    properties->multiProcessorCount = multiprocessors;
    properties->pciBusID = bus_of(device);
    fill_limits(*properties);
    fill_features(*properties);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device) {
    if (!device_exists(device)) return report(cudaErrorInvalidDevice);
    *value = attribute(name, device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    if (!device_exists(device)) return report(cudaErrorInvalidDevice);
    const std::string id = bus_id(device);
    if (length <= static_cast<int>(id.size())) return report(cudaErrorInvalidValue);
    std::memcpy(text, id.c_str(), id.size() + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
    for (int candidate = 0; candidate < device_count(); ++candidate) {
        *device = candidate;
        if (bus_id(candidate) == text) return cudaSuccess;
    }
    return report(cudaErrorInvalidDevice);
}
}
