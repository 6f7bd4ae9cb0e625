// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "measure/progress.hpp"

namespace railgauge::board {

using Instant = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

/// The secret of one job's board: who knows it is one of the job's ranks.
using Token = std::array<std::uint8_t, 16>;

/// More ranks than any job; larger numbers in a frame are garbage.
inline constexpr int most_ranks = 1 << 20;

/// What a frame says. All but `hello` go both ways: the board speaks for rank 0.
enum class FrameType : std::uint8_t {
    hello = 1,  ///< first frame of a rank, carries the token
    beat,       ///< where the rank is
    goodbye,    ///< clean end
    failed,     ///< the rank has said why it ends the job
    signalled,  ///< ends by SIGTERM or SIGINT
    expired     ///< ends by the deadline; from the board: leave with exit code 5
};

/// One message between a watchdog and the board. All frames have the same size and layout.
struct Frame {
    FrameType type = FrameType::beat;
    Token token{};
    int rank = -1;
    Progress::Snapshot at{Phase::launch, -1, 0};
    std::uint64_t pulse = 0;
    milliseconds idle{0};            ///< since the pulse changed
    std::uint32_t cpu_ms = 0;        ///< CPU time of the main thread per second
    std::uint8_t library_error = 0;  ///< of the library under test, its own number; 0 = none
    std::string host;                ///< at most 64 bytes are sent
};

inline constexpr std::size_t frame_bytes = 128;
using FrameBytes = std::array<std::uint8_t, frame_bytes>;

FrameBytes encode(const Frame& frame);

/// Nothing when the bytes are no frame. A host name that is no printable UTF-8 is shown with "?".
std::optional<Frame> decode(std::span<const std::uint8_t, frame_bytes> bytes);

/// Frames over a non-blocking stream socket. Nothing here waits; garbage closes the channel.
class Channel {
  public:
    explicit Channel(FileDescriptor socket) noexcept : socket_(std::move(socket)) {}

    bool is_open() const noexcept { return static_cast<bool>(socket_); }
    int descriptor() const noexcept { return socket_.get(); }

    /// The next whole frame that has arrived. Closes the channel when the peer has closed its end,
    /// on an error of the socket and on bytes that are no frame.
    std::optional<Frame> receive();

    /// Sends the frame. While the peer has not taken an earlier one, a beat is dropped, and any
    /// other frame, which is said once only, waits for the next call.
    void send(const Frame& frame);

    void close() noexcept { socket_.reset(); }

  private:
    void flush();
    std::size_t write(std::span<const std::uint8_t> bytes);

    FileDescriptor socket_;
    FrameBytes incoming_{};
    std::size_t received_ = 0;
    std::vector<std::uint8_t> outgoing_;
};

}  // namespace railgauge::board
