// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "memory/memory_space.hpp"

namespace railgauge {

/// Memory of the GPU that the calling thread has bound (cuda/gpu.hpp).
/// @throws Error(usage) when the build lacks CUDA
std::unique_ptr<MemorySpace> make_cuda_memory();

/// @throws Error(usage) when what runs on a GPU cannot use memory `name`
void require_gpu_reaches(std::string_view memory);

/// Memory of the host that the GPU reaches by DMA. @throws Error(usage) when the build lacks CUDA
std::unique_ptr<MemorySpace> make_pinned_memory();

}  // namespace railgauge
