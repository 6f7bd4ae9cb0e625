// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/channel.hpp"

#include <cerrno>

#include <sys/socket.h>

namespace railgauge::board {
namespace {

bool is_passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

std::optional<Frame> Channel::receive() {
    while (is_open() && received_ < frame_bytes) {
        const ssize_t got = ::recv(socket_.get(), incoming_.data() + received_,
                                   frame_bytes - received_, MSG_DONTWAIT);
        if (got < 0 && is_passing(errno)) return std::nullopt;
        if (got <= 0) {
            close();
            return std::nullopt;
        }
        received_ += static_cast<std::size_t>(got);
    }
    if (!is_open()) return std::nullopt;
    received_ = 0;
    std::optional<Frame> frame = decode(incoming_);
    if (!frame) close();
    return frame;
}

void Channel::send(const Frame& frame) {
    if (unsent_ > 0) unsent_ -= write(std::span(outgoing_).last(unsent_));
    if (unsent_ > 0) return;
    outgoing_ = encode(frame);
    unsent_ = frame_bytes - write(outgoing_);
    if (unsent_ == frame_bytes) unsent_ = 0;
}

/// A broken connection is left for receive() to find, after what the peer sent before it broke.
std::size_t Channel::write(std::span<const std::uint8_t> bytes) {
    if (!is_open()) return 0;
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

}  // namespace railgauge::board
