// SPDX-License-Identifier: Apache-2.0
// For tests of the double's NCCL under MPI: one GPU per rank, communicators of all ranks.
#pragma once

#include <chrono>
#include <thread>

#include <mpi.h>
#include <nccl.h>

#include "check.hpp"

inline int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int world_ranks() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

inline ncclUniqueId common_id() {
    ncclUniqueId id{};
    if (world_rank() == 0) {
        EXPECT_NCCL(ncclGetUniqueId(&id));
    }
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    return id;
}

// The state once it is not ncclInProgress; tests' own limit on a run ends what never comes.
inline ncclResult_t settle(ncclComm_t comm) {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress) {
        EXPECT_NCCL(ncclCommGetAsyncError(comm, &state));
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return state;
}

enum class End { destroy, abort };

class World {
  public:
    explicit World(End end = End::destroy) : end_(end) {
        EXPECT_CUDA(cudaSetDevice(world_rank()));
        EXPECT_NCCL(ncclCommInitRank(&comm_, world_ranks(), common_id(), world_rank()));
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { EXPECT_NCCL(end_ == End::destroy ? ncclCommDestroy(comm_) : ncclCommAbort(comm_)); }
    operator ncclComm_t() const { return comm_; }

  private:
    End end_;
    ncclComm_t comm_ = nullptr;
};
