// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/file_descriptor.hpp"
#include "mpi/board/frame.hpp"

namespace railgauge::board {

/// Frames over a non-blocking stream socket. Nothing here waits; garbage closes the channel.
class Channel {
  public:
    explicit Channel(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}

    bool is_open() const noexcept { return static_cast<bool>(socket_); }
    int descriptor() const noexcept { return socket_.get(); }

    /// The next whole frame that has arrived. Closes the channel when the peer has closed its end,
    /// on an error of the socket and on bytes that are no frame.
    std::optional<Frame> receive();

    /// Sends the frame, or drops it when the peer has not taken an earlier one yet.
    void send(const Frame& frame);

    void close() noexcept { socket_.reset(); }

  private:
    std::size_t write(std::span<const std::uint8_t> bytes);

    FileDescriptor socket_;
    FrameBytes incoming_{};
    std::size_t received_ = 0;
    FrameBytes outgoing_{};
    std::size_t unsent_ = 0;  ///< bytes at the end of outgoing_
};

}  // namespace railgauge::board
