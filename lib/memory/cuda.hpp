// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "memory/memory_space.hpp"

namespace railgauge {

/// Memory of this rank's GPU. @throws Error(usage) when the build lacks CUDA
std::unique_ptr<MemorySpace> make_cuda_memory();

}  // namespace railgauge
