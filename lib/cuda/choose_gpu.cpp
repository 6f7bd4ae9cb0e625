// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "cuda/gpu.hpp"

namespace railgauge {

int choose_gpu(int gpus, int local_rank, int local_ranks) {
    if (gpus == 0) {
        throw Error(
            ExitCode::usage, "there is no GPU here", "CUDA finds no device",
            "check nvidia-smi and CUDA_VISIBLE_DEVICES, or use --backend mpi --memory host");
    }
    if (local_rank < gpus) return local_rank;
    if (gpus == 1) return 0;  // whether it is another rank's, too, shows by its UUID
    throw Error(
        ExitCode::usage, fmt::format("this node has {} ranks and {} GPUs", local_ranks, gpus),
        "each rank needs a GPU of its own",
        fmt::format("start {} ranks per node, or show more GPUs in CUDA_VISIBLE_DEVICES", gpus));
}

}  // namespace railgauge
