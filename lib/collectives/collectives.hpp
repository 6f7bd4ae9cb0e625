// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "collectives/call.hpp"
#include "measure/case.hpp"
#include "measure/sample.hpp"
#include "memory/memory_space.hpp"
#include "nccl/options.hpp"

namespace railgauge {

/// What a library knows of a buffer beforehand: nothing, that it is registered with the
/// communicator, or that it lies at the same place in every rank's window.
enum class BufferKind { plain, registered, symmetric };

/// The names of the kinds, in their order.
std::vector<std::string> buffer_kind_names();

/// @throws Error(usage) that lists the names there are
BufferKind parse_buffer_kind(std::string_view text);

/// What one launch issues.
struct LaunchManner {
    int together = 1;  ///< calls that are issued as one, each with buffers of its own
    int captured =
        0;  ///< times they are recorded in a CUDA graph that a launch replays; 0 = no graph
};

/// How long the steps in the life of a communicator took; -1 = the library has no such step.
struct CommunicatorLife {
    std::int64_t init_ns = -1;
    std::int64_t split_ns = -1;
    std::int64_t register_ns = -1;
    std::int64_t first_ns = -1;  ///< the first operation, which connects the ranks
    std::int64_t finalize_ns = -1;
    std::int64_t memory_bytes = -1;  ///< of the GPU, taken when the first operation is done
};

/// The backend seam: a group of ranks that can run collectives.
///
/// `prepare` turns calls into the library's own arguments, outside the timed loop; `launch` only
/// issues them.
class Collectives {
  public:
    virtual ~Collectives() = default;
    virtual std::string_view name() const = 0;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual ResultPlace result_place() const { return ResultPlace::start; }

    /// Why the library cannot do this call in this manner, whatever its buffers are (a count beyond
    /// its range); empty when it can.
    virtual std::string obstacle(const CollectiveCall& call, const LaunchManner& manner) const = 0;

    /// Memory for buffers, known to the library as `kind` says. Collective over the group. Ends
    /// before close().
    /// @throws Error(usage) when the library has no such kind
    virtual Buffer allocate(MemorySpace& memory, std::size_t size, BufferKind kind) = 0;

    /// For calls without an obstacle, as many as manner.together.
    virtual void prepare(std::span<const CollectiveCall> calls, const LaunchManner& manner) = 0;

    /// Issues the prepared calls once.
    virtual void launch() = 0;

    /// Waits for all launched calls. Empty for blocking libraries.
    virtual void complete() = 0;

    /// Times by the device's own clock: one for each complete(), from the first launch since the
    /// last to the end of all. Blocking libraries have none.
    virtual bool has_device_times() const { return false; }
    virtual void reserve_device_times(std::size_t samples) { static_cast<void>(samples); }
    /// Between blocks of at most longest_block() samples: reads those of the last `samples`.
    virtual void collect_device_times(std::size_t samples) { static_cast<void>(samples); }
    virtual std::span<const Cell> device_times_ns() const { return {}; }
    virtual std::size_t longest_block() const { return SIZE_MAX; }

    /// Around check rounds: what the library chooses for the operations in between.
    virtual void watch_choice() {}
    virtual LibraryChoice take_choice() { return {}; }

    /// Makes another communicator of the same ranks, uses it once and ends it. Collective over all
    /// ranks of the job.
    virtual CommunicatorLife live() = 0;

    /// Clean end, called by all ranks of the group.
    virtual void close() = 0;

    /// On the way out of an error, before buffers are freed: gives up operations that hang.
    virtual void abandon() noexcept {}
};

/// What a backend is made of.
struct CollectivesSetting {
    MPI_Comm comm = MPI_COMM_NULL;  ///< all ranks of the job
    int group = 0;                  ///< ranks of the same number work together; -1 = idle
    NcclOptions nccl{};
};

/// MPI on memory that it can reach. Collective over the job.
std::unique_ptr<Collectives> make_mpi_collectives(const CollectivesSetting& setting);

/// NCCL, one GPU per rank. Collective over the job.
/// @throws Error(usage) when the build lacks NCCL
std::unique_ptr<Collectives> make_nccl_collectives(const CollectivesSetting& setting);

std::vector<std::string> collectives_names();

/// Whether a backend works on GPUs. @throws Error(usage) for an unknown name
bool backend_needs_gpu(std::string_view backend);

/// @throws Error(usage) when the build lacks NCCL, or it cannot use that memory
void require_nccl(std::string_view memory);

/// To be asked before anything is written.
/// @throws Error(usage) when the build lacks the backend, or it cannot reach that memory
void require_backend(std::string_view backend, std::string_view memory);

/// One of collectives_names(). Idle ranks get an object, too: they take part in making groups.
/// @throws Error(usage) for an unknown name or one this build lacks
std::unique_ptr<Collectives> make_collectives(std::string_view backend,
                                              const CollectivesSetting& setting);

}  // namespace railgauge
