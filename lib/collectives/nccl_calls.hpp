// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "collectives/call.hpp"

namespace railgauge {

/// A collective in the words of NCCL.
struct NcclArguments {
    const std::byte* send = nullptr;
    std::byte* receive = nullptr;
    std::size_t count = 0;
    ncclDataType_t type = ncclUint8;
    ncclRedOp_t reduce = ncclSum;
    int root = 0;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    int rank = 0;
    int ranks = 1;
    std::size_t element_bytes = 1;
    /// Of alltoallv, per peer: elements, and where they begin in bytes.
    std::vector<std::size_t> send_counts, send_offsets, receive_counts, receive_offsets;
};

ncclDataType_t nccl_type(DataType type);

/// The reductions that NCCL has ready; mulsum is made of a factor (ncclRedOpCreatePreMulSum).
ncclRedOp_t nccl_op(ReduceOperation reduce);

/// The call with its buffers as NCCL wants them. Reductions, communicator and stream are the
/// caller's to set.
NcclArguments nccl_arguments(const CollectiveCall& call, int rank, int ranks);

/// How an operation is issued, and what stands in an error of it.
struct NcclLaunch {
    ncclResult_t (*issue)(const NcclArguments& arguments);
    const char* name;
    /// Whether its steps depend on each other, so that they cannot share a group call with others.
    bool has_steps = false;
};

NcclLaunch nccl_launch_of(Operation operation);

}  // namespace railgauge
