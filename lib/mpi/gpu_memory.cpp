// SPDX-License-Identifier: Apache-2.0
#include "mpi/gpu_memory.hpp"

#include <mpi.h>

#include "base/error.hpp"

// Open MPI alone answers, in a header of its own.
#if defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#endif

namespace railgauge {

#if defined(MPIX_CUDA_AWARE_SUPPORT)
bool mpi_reaches_gpu_memory() {
    return MPIX_Query_cuda_support() == 1;
}
#else
bool mpi_reaches_gpu_memory() {
    return false;
}
#endif

void require_mpi_reaches(std::string_view memory) {
    if (memory != "cuda" || mpi_reaches_gpu_memory()) return;
    throw Error(ExitCode::usage, "this MPI cannot use memory 'cuda'", "it is not CUDA-aware",
                "use --memory host or pinned, or an MPI built with CUDA");
}

}  // namespace railgauge
