// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "allocations.hpp"
#include "errors.hpp"
#include "streams.hpp"

namespace gpu_double {
namespace {

constexpr int default_gpus = 8;
constexpr int cuda_version = 13000;

thread_local int selected_device = 0;

int gpus_of_the_machine() {
    const char* text = std::getenv("RAILGAUGE_DOUBLE_GPUS");
    return text != nullptr ? std::atoi(text) : default_gpus;
}

// As CUDA does, the list ends at the first entry that names no GPU.
std::vector<int> visible_devices() {
    const int present = gpus_of_the_machine();
    std::vector<int> devices;
    const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
    if (text == nullptr) {
        for (int device = 0; device < present; ++device)
            devices.push_back(device);
        return devices;
    }
    std::istringstream list(text);
    for (std::string entry; std::getline(list, entry, ',');) {
        char* end = nullptr;
        const long device = std::strtol(entry.c_str(), &end, 10);
        if (end == entry.c_str() || device < 0 || device >= present) break;
        devices.push_back(static_cast<int>(device));
    }
    return devices;
}

const std::vector<int>& devices() {
    static const auto* const list = new std::vector<int>(visible_devices());
    return *list;
}

}  // namespace

int device_count() {
    return static_cast<int>(devices().size());
}
bool device_exists(int device) {
    return device >= 0 && device < device_count();
}
int physical_device(int device) {
    return devices()[static_cast<std::size_t>(device)];
}
int current_device() {
    return selected_device;
}

}  // namespace gpu_double

using namespace gpu_double;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    *count = device_count();
    return report(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
    if (!device_exists(device)) return report(cudaErrorInvalidDevice);
    selected_device = device;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return report(device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int* device) {
    *device = selected_device;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned) {
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    synchronize_device(selected_device);
    return report(asynchronous_error());
}

cudaError_t cudaDeviceReset() {
    synchronize_device(selected_device);
    allocations().release_device(selected_device);
    clear_errors();
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = cuda_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = cuda_version;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!device_exists(device) || !device_exists(peer)) return report(cudaErrorInvalidDevice);
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    return report(device_exists(peer) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return report(device_exists(peer) ? cudaSuccess : cudaErrorInvalidDevice);
}
}
