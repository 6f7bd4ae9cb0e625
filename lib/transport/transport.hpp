// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "memory/memory_space.hpp"
#include "transport/fabric_options.hpp"

namespace railgauge {

/// What a message does, seen from the rank that posts it. A send is taken by a receive of the
/// peer; write and read touch the peer's memory without it.
enum class Verb { send, receive, write, read };

/// One message of a channel. A send of 0 bytes and the receive that takes it are the way to tell
/// the peer something: that data are there, that they were taken.
struct Message {
    Verb verb = Verb::send;
    std::size_t offset = 0;  ///< in this rank's memory
    std::size_t bytes = 0;
    std::uint64_t id = 0;           ///< comes back with the completion
    std::size_t remote_offset = 0;  ///< write, read: in the peer's memory
    int queue = 0;                  ///< below ChannelParameters::queues
    /// Of a write: when its data are there, an empty receive of the peer on that queue takes it.
    bool notifies = false;
    /// Of a send, write or read: its completion is asked for. Others of its queue are reported with
    /// the next that is, so that the last of a series must be.
    bool signalled = true;
    /// Of a send: it is finished only when a receive of the peer has taken it, as it always is with
    /// RDMA. Without it a library may keep a copy and call it finished, as often as it is asked.
    bool acknowledged = false;
};

/// Message `id` is finished here: its memory may be used again, and of a receive or read the data
/// are there.
struct Completion {
    std::uint64_t id = 0;
    std::int64_t time_ns = 0;  ///< monotonic clock, when it was seen
};

/// What both sides of a channel agree on beforehand.
struct ChannelParameters {
    int send_depth = 1;     ///< most sends, writes and reads in flight on each queue
    int receive_depth = 1;  ///< most receives in flight on each queue
    int queues = 1;         ///< ordered streams to the peer: queue pairs, with RDMA
};

/// What a library can do.
struct Capabilities {
    bool one_sided = false;  ///< write and read
    std::size_t most_bytes = 0;
    int most_queues = 1;
    int most_signal_interval = 1;  ///< messages for which one may be signalled
    /// Whether a message must find its receive posted, and receives that nothing came for may be
    /// left when a channel is closed.
    bool receives_ahead = false;
};

/// Memory that a library may send from and receive into. Ends before its transport does.
class RegisteredMemory {
  public:
    explicit RegisteredMemory(Buffer buffer) : buffer_(std::move(buffer)) {}
    virtual ~RegisteredMemory() = default;
    RegisteredMemory(const RegisteredMemory&) = delete;
    RegisteredMemory& operator=(const RegisteredMemory&) = delete;

    std::byte* data() const noexcept { return static_cast<std::byte*>(buffer_.data()); }
    std::size_t size() const noexcept { return buffer_.size(); }

    /// How a network card reaches it: "host", "dma-buf", "peermem"; empty when the library does not
    /// say.
    virtual std::string_view way() const { return {}; }

  private:
    Buffer buffer_;
};

/// A connection to one peer. A rank may have many, one to each peer: a receiver with many senders
/// polls them in turn.
///
/// Neither post() nor poll() blocks, allocates or logs. Messages of a queue arrive in the order in
/// which they were posted, and receives take them in that order: an empty send comes after what was
/// written before it on its queue. A library's error throws Error(library), which names the peer.
class Channel {
  public:
    virtual ~Channel() = default;

    /// Starts a message. Its memory is the library's until the completion.
    /// @throws std::logic_error beyond the depth that was asked for
    virtual void post(const Message& message) = 0;

    /// What has finished since the last call; valid until the next one. Makes the library progress.
    virtual std::span<const Completion> poll() = 0;

    /// The clean end, called by both sides when nothing is in flight. The destructor of a channel
    /// still open only gives up its resources: its peer may be gone.
    virtual void close() = 0;

    /// What carries the messages, "rc_verbs/mlx5_0:1", as a fact to be recorded; empty where that
    /// is not the library's choice. Not for timed loops.
    virtual std::string path() const { return {}; }
};

/// The seam to a communication library: the ranks of a communicator, which can be connected in
/// pairs.
class Transport {
  public:
    virtual ~Transport() = default;
    virtual std::string_view name() const = 0;
    virtual Capabilities capabilities() const = 0;

    /// @throws Error when the space has not that much, or the library cannot register it
    virtual std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) = 0;

    /// Connects to `peer`, which calls this at the same time with the same parameters. The
    /// connection is made here: the first message finds it open. One channel to a peer at a time.
    /// @param memory what its messages refer to, on this side; outlives the channel
    /// @throws Error(usage) when the parameters exceed the capabilities
    virtual std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                             const ChannelParameters& parameters) = 0;

    /// The clean end, called by all ranks when all channels are closed.
    virtual void close() = 0;

    /// On the way out of an error, before memory is freed: gives up messages that hang.
    virtual void abandon() noexcept {}
};

/// @throws Error(usage) that says which parameter `name` cannot do
void require_capable(std::string_view name, const Capabilities& capabilities,
                     const ChannelParameters& parameters);

/// MPI's point-to-point messages, on a communicator of its own. Collective over `comm`.
std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm);

/// NCCL's sends and receives between GPUs. Collective over `comm`.
/// @throws Error(usage) when the build lacks NCCL
std::unique_ptr<Transport> make_nccl_transport(MPI_Comm comm);

std::vector<std::string> transport_names();

/// What is known of a transport before there is one.
struct TransportTraits {
    bool needs_gpu;  ///< it works on nothing but GPUs
    bool one_sided;  ///< it has write and read
    bool coalesces;  ///< one completion can be asked for several messages
};

/// @throws Error(usage) for an unknown name
TransportTraits transport_traits(std::string_view name);

/// To be asked before anything is written.
/// @throws Error(usage) when the build lacks the transport, or it cannot reach that memory
void require_transport(std::string_view name, std::string_view memory);

/// @throws Error(usage) when the build lacks NCCL, or it cannot use that memory
void require_nccl_transport(std::string_view memory);

/// One of transport_names(). Collective over `comm`. @throws Error(usage) for any other name
std::unique_ptr<Transport> make_transport(std::string_view name, MPI_Comm comm,
                                          const FabricOptions& options);

}  // namespace railgauge
