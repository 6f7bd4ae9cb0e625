// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cuda/gpu.hpp"

namespace railgauge {

Gpu bind_gpu(int /*local_rank*/, int /*local_ranks*/) {
    throw Error(ExitCode::usage, "not configured: built without CUDA", "this run needs a GPU",
                "use --backend mpi --memory host, or build where the CUDA Toolkit is");
}

const Gpu& bound_gpu() {
    static const Gpu none;
    return none;
}

bool is_gpu_double() {
    return false;
}

CudaVersions cuda_versions() {
    return {};
}

}  // namespace railgauge
