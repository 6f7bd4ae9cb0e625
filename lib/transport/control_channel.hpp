// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "transport/fabric.hpp"
#include "transport/mac.hpp"

namespace railgauge {

/// When a wait ends, on the monotonic clock.
using Deadline = std::chrono::steady_clock::time_point;

inline Deadline deadline_in(std::chrono::nanoseconds time) {
    return std::chrono::steady_clock::now() + time;
}

enum class ControlSide { client, server };

/// Frames over TCP between a rank and a server outside its job: u32 length (big endian), then so
/// many bytes, then a code once sealed. For what is said between measurements; every wait has a
/// deadline. What comes is not to be trusted.
///
/// Errors are Error(library) that name the peer.
class ControlChannel {
  public:
    /// @param socket connected, non-blocking
    /// @param peer its name, for errors
    /// @param stop a descriptor that is readable when this process is to end, which ends every
    ///        wait with an error; -1 = none
    ControlChannel(FileDescriptor socket, ControlSide side, std::string peer, int stop = -1);

    const std::string& peer() const noexcept { return peer_; }
    ControlSide side() const noexcept { return side_; }

    /// @throws Error when the peer does not take it in time
    void send(ByteView frame, Deadline deadline);

    /// The next frame. @throws Error when it exceeds `most_bytes`, is not the peer's, or does not
    /// come in time
    std::vector<std::byte> receive(Deadline deadline, std::size_t most_bytes = most_swapped_bytes);

    /// From now on every frame ends with an HMAC of its direction, number and bytes: whoever is
    /// between the two can neither change, add, drop nor repeat one.
    void seal(const Digest& key) { key_ = key; }

    /// Whether something has come, without waiting. @throws Error when the peer has gone
    bool has_news() const;

    /// Lets the peer know that nothing more comes.
    void finish() noexcept;

  private:
    enum class Wait { to_read, to_write };
    void wait(Wait what, Deadline deadline) const;
    void write_all(ByteView bytes, Deadline deadline) const;
    void read_all(std::span<std::byte> bytes, Deadline deadline) const;
    Digest code_of(ControlSide sender, std::uint64_t number, ByteView frame) const;
    [[noreturn]] void fail(const std::string& why, const char* remedy) const;

    FileDescriptor socket_;
    ControlSide side_;
    std::string peer_;
    int stop_;
    std::optional<Digest> key_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

/// The other side of a fabric's connection, reached by a control channel: the server listens before
/// it speaks, so that neither waits for the other to take a large description.
class ControlPeer : public Peer {
  public:
    /// @param channel outlives the peer
    ControlPeer(ControlChannel& channel, std::chrono::nanoseconds limit)
        : channel_(channel), limit_(limit) {}

    std::string name() const override { return channel_.peer(); }
    std::vector<std::byte> swap(std::span<const std::byte> mine) override;

  private:
    ControlChannel& channel_;
    std::chrono::nanoseconds limit_;
};

}  // namespace railgauge
