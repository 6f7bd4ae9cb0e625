// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "memory/cuda.hpp"

namespace railgauge {

std::unique_ptr<MemorySpace> make_cuda_memory() {
    throw Error(ExitCode::usage, "not configured: built without CUDA",
                "memory 'cuda' lives on a GPU", "use --memory host");
}

}  // namespace railgauge
