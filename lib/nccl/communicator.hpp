// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <nccl.h>

#include "nccl/options.hpp"

namespace railgauge {

/// Owner of a communicator of NCCL.
///
/// The first one of a job does not block while it is made, split or ended: those waits can be
/// watched and aborted. But operations on such a communicator start a thread each, so it only
/// serves to split off the communicators that are measured, whose operations are issued by the
/// caller as in any blocking one.
///
/// close() is the clean end, which may wait for peers; one that is still open when it is destroyed
/// is aborted.
class NcclCommunicator {
  public:
    NcclCommunicator() = default;

    /// Of all ranks of `comm`, each on the GPU that its thread has bound. Collective over `comm`.
    static NcclCommunicator make_root(MPI_Comm comm, const NcclOptions& options);

    /// Members with the same colour form a group, ordered by rank; a negative colour gives an empty
    /// object. Called on the root, by all its ranks.
    NcclCommunicator split(int color, const NcclOptions& options);

    NcclCommunicator(NcclCommunicator&& other) noexcept;
    NcclCommunicator& operator=(NcclCommunicator&& other) noexcept;
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;
    ~NcclCommunicator();

    ncclComm_t get() const noexcept { return comm_; }
    explicit operator bool() const noexcept { return comm_ != nullptr; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    /// An error that came up while operations ran: a peer that died, a network that failed.
    /// @throws Error(library)
    void require_healthy() const;

    void close();

  private:
    explicit NcclCommunicator(ncclComm_t comm);
    void abort() noexcept;

    ncclComm_t comm_ = nullptr;
    int rank_ = -1;
    int size_ = 0;
};

}  // namespace railgauge
