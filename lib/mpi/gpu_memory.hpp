// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace railgauge {

/// Whether this MPI library takes pointers to GPU memory (is "CUDA-aware"), as far as it says.
bool mpi_reaches_gpu_memory();

}  // namespace railgauge
