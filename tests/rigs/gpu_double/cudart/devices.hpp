// SPDX-License-Identifier: Apache-2.0
// Which GPUs the double shows: RAILGAUGE_DOUBLE_GPUS of them, filtered by CUDA_VISIBLE_DEVICES.
#pragma once

namespace gpu_double {

int device_count();
bool device_exists(int device);
// The number of the GPU on the machine, the same for every process.
int physical_device(int device);
int current_device();

}  // namespace gpu_double
