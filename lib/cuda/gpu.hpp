// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge {

/// The GPU of a rank.
struct Gpu {
    int index = -1;    ///< among those that the process sees; -1 = none
    std::string uuid;  ///< "GPU-xxxxxxxx-...", as nvidia-smi shows it
    std::string pci;   ///< "0000:1b:00.0"
    std::string name;
    int compute_major = 0;  ///< compute capability: 9 is Hopper, 10 Blackwell
    int compute_minor = 0;
};

/// CUDA as it is here; empty where it is not.
struct CudaVersions {
    std::string driver;   ///< the newest CUDA that the driver knows, as "13.0"
    std::string runtime;  ///< of the library in use
    std::string build;    ///< of the headers this was built with
};

/// Which of `gpus` visible GPUs local rank `local_rank` of `local_ranks` takes: that of its number;
/// the only one where the launcher shows each rank its own. Pure.
/// @throws Error(usage) when there are more ranks than GPUs
int choose_gpu(int gpus, int local_rank, int local_ranks);

/// Makes the GPU of this rank the calling thread's and prepares it for use.
/// @throws Error(usage) when the build lacks CUDA, the node lacks a GPU or has too few
Gpu bind_gpu(int local_rank, int local_ranks);

/// The GPU that this process has bound; none before bind_gpu().
const Gpu& bound_gpu();

/// Whether CUDA here is the test double, whose times mean nothing.
bool is_gpu_double();

CudaVersions cuda_versions();

}  // namespace railgauge
