// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "memory/memory_space.hpp"
#include "transport/fabric_options.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// The other side of a connection that is being made. What it says is not to be trusted.
class Peer {
  public:
    virtual ~Peer() = default;

    /// "rank 3 on n5", for errors.
    virtual std::string name() const = 0;

    /// Sends `mine` and returns what the other side sends in its call of the same number. Of any
    /// size up to most_swapped_bytes.
    virtual std::vector<std::byte> swap(std::span<const std::byte> mine) = 0;
};

inline constexpr std::size_t most_swapped_bytes = 1 << 20;

/// A library that connects any two processes which can swap descriptions of themselves, whether
/// they belong to one MPI job or not.
class Fabric {
  public:
    virtual ~Fabric() = default;
    virtual std::string_view name() const = 0;
    virtual Capabilities capabilities() const = 0;

    /// @throws Error when the space has not that much, or the library cannot register it
    virtual std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) = 0;

    /// Connects to `peer`, whose side does the same with the same parameters. When it returns, both
    /// sides can be written to and have posted no receive yet. The channel's close() swaps once
    /// more, so that neither side ends before the other has its completions.
    /// @param memory what the messages refer to, and all that the peer can reach; outlives the
    ///        channel
    /// @throws Error naming the peer; both sides throw
    virtual std::unique_ptr<Channel> connect(std::unique_ptr<Peer> peer, RegisteredMemory& memory,
                                             const ChannelParameters& parameters) = 0;
};

/// RDMA verbs: reliable connections of queue pairs, over InfiniBand or RoCE.
/// @throws Error(usage) when the build lacks it, or there is no such device
std::unique_ptr<Fabric> make_verbs_fabric(const FabricOptions& options);

/// UCX: its endpoints, over whatever it chooses or is told to use.
/// @throws Error(usage) when the build lacks it, or its configuration is refused
std::unique_ptr<Fabric> make_ucx_fabric(const FabricOptions& options);

std::vector<std::string> fabric_names();

/// One of fabric_names(). @throws Error(usage) for any other name, and as the above
std::unique_ptr<Fabric> make_fabric(std::string_view name, const FabricOptions& options);

/// @throws Error(usage) when the build lacks the library, or it cannot use that memory
void require_verbs_transport(std::string_view memory);
void require_ucx_transport(std::string_view memory);

/// The ranks of a communicator on a fabric. Collective over `comm`.
std::unique_ptr<Transport> make_fabric_transport(std::unique_ptr<Fabric> fabric, MPI_Comm comm);

}  // namespace railgauge
