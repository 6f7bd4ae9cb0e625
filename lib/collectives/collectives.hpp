// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <mpi.h>

#include "collectives/call.hpp"

namespace railgauge {

/// The backend seam: a group of ranks that can run collectives.
///
/// `prepare` turns a call into the library's own arguments, outside the timed loop; `launch` only
/// issues it.
class Collectives {
  public:
    virtual ~Collectives() = default;
    virtual std::string_view name() const = 0;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Why the library cannot do this call (a count beyond its range), whatever its buffers are;
    /// empty when it can.
    virtual std::string obstacle(const CollectiveCall& call) const = 0;

    /// For calls without an obstacle.
    virtual void prepare(const CollectiveCall& call) = 0;

    /// Issues the prepared call once.
    virtual void launch() = 0;

    /// Waits for all launched calls. Empty for blocking libraries.
    virtual void complete() = 0;

    /// Clean end, called by all ranks of the group.
    virtual void close() = 0;
};

/// MPI on host memory; the ranks of `comm` form the group. Collective over `comm`.
std::unique_ptr<Collectives> make_mpi_collectives(MPI_Comm comm);

/// NCCL on GPU memory, one GPU per rank of `comm`. Collective over `comm`.
std::unique_ptr<Collectives> make_nccl_collectives(MPI_Comm comm);

/// @throws Error(usage) when the build lacks NCCL
void require_nccl();

/// To be asked before anything is written. @throws Error(usage) as make_collectives does
void require_backend(std::string_view backend);

/// "mpi" or "nccl". @throws Error(usage) for an unknown name or one this build lacks
std::unique_ptr<Collectives> make_collectives(std::string_view backend, MPI_Comm comm);

}  // namespace railgauge
