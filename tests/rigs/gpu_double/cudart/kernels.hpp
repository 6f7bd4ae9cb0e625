// SPDX-License-Identifier: Apache-2.0
// Which kernel a host stub stands for, and the host function that plays it.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

namespace gpu_double {

struct Twin {
    void (*run)(const dim3* grid, const dim3* block, void** arguments) = nullptr;
    // Bytes of each argument, ended by 0.
    const unsigned* sizes = nullptr;
};

void register_kernel(const void* stub, const char* name);
// Empty for a function that is no kernel.
std::string kernel_name(const void* stub);
// Without members for a kernel that has no twin in the program or in RAILGAUGE_DOUBLE_TWINS.
Twin find_twin(const std::string& kernel);

}  // namespace gpu_double
