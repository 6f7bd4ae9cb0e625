// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "collectives/pattern_job.hpp"

namespace railgauge {

/// Launches the fill kernel: all elements of the job to `out`.
void launch_fill(const PatternJob& job, void* out, cudaStream_t stream);

/// Launches the verify kernel: adds the number of wrong elements to `*wrong`, in GPU memory.
void launch_verify(const PatternJob& job, const void* data, unsigned long long* wrong,
                   cudaStream_t stream);

/// Launches the delay kernel: keeps the stream busy for so long.
void launch_delay(std::uint64_t ns, cudaStream_t stream);

}  // namespace railgauge
