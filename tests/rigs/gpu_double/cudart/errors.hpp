// SPDX-License-Identifier: Apache-2.0
// A call's error, cudaErrorNotReady too, is remembered for its thread; an error of an operation
// sticks to the process.
#pragma once

#include <cuda_runtime_api.h>

namespace gpu_double {

cudaError_t report(cudaError_t error);

void raise_asynchronous_error(cudaError_t error);
cudaError_t asynchronous_error();
void clear_errors();

}  // namespace gpu_double
