// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace railgauge {

/// Makes `bytes` of GPU memory zeros, and returns when they are: cudaMemset alone only enqueues
/// that, on a stream for which others do not wait.
void clear_gpu_memory(void* data, std::size_t bytes);

}  // namespace railgauge
