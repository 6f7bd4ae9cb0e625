// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "collectives/call.hpp"

namespace railgauge {

/// A collective in the words of MPI.
struct MpiArguments {
    const void* send = nullptr;
    void* receive = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op reduce = MPI_OP_NULL;
    int root = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int ranks = 1;
    std::size_t element_bytes = 0;
    /// Of alltoallv, per peer, in elements.
    std::vector<int> send_counts, send_offsets, receive_counts, receive_offsets;
};

/// The call with its buffers as MPI wants them.
MpiArguments mpi_arguments(const CollectiveCall& call, MPI_Comm comm, int rank, int ranks);

/// MPI_OP_NULL for those MPI has not.
MPI_Op mpi_op(ReduceOperation reduce);

/// Requests that one operation takes at most.
inline constexpr int most_requests = 2;

/// How an operation is issued, and what stands in an error of it.
struct MpiLaunch {
    int (*issue)(const MpiArguments& arguments);
    /// Only starts it and sets most_requests requests; none where its steps depend on each other.
    int (*start)(const MpiArguments& arguments, MPI_Request* requests);
    const char* name;
};

MpiLaunch mpi_launch_of(Operation operation);

}  // namespace railgauge
