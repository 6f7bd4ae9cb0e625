// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace railgauge {

/// Whether this MPI library takes pointers to GPU memory (is "CUDA-aware"), as far as it says.
bool mpi_reaches_gpu_memory();

/// @throws Error(usage) when MPI cannot move data of memory `name`
void require_mpi_reaches(std::string_view memory);

}  // namespace railgauge
