// SPDX-License-Identifier: Apache-2.0
#include "transport/control_channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr const char* see_peer = "see whether that process still runs, and what it says";
constexpr std::size_t length_bytes = 4;

std::array<std::byte, length_bytes> encode_length(std::size_t size) {
    std::array<std::byte, length_bytes> bytes{};
    for (std::size_t i = 0; i < length_bytes; ++i)
        bytes.at(i) = static_cast<std::byte>(size >> (8 * (length_bytes - 1 - i)));
    return bytes;
}

std::size_t decode_length(const std::array<std::byte, length_bytes>& bytes) {
    std::size_t size = 0;
    for (const std::byte byte : bytes)
        size = size << 8 | std::to_integer<std::size_t>(byte);
    return size;
}

/// A host that is cut off is noticed within half a minute, even by who only waits.
void keep_alive(int socket) {
    const auto set = [socket](int level, int name, int value) {
        ::setsockopt(socket, level, name, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 25'000);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

int milliseconds_until(Deadline deadline) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(
        std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

[[noreturn]] void throw_end() {
    throw Error(ExitCode::library, "this side ends", "it was told to by a signal or its operator",
                "start it again where it is needed");
}

bool is_try_again(int error) {
    return error == EAGAIN || error == EINTR;
}

}  // namespace

ControlChannel::ControlChannel(FileDescriptor socket, ControlSide side, std::string peer, int stop)
    : socket_(std::move(socket)), side_(side), peer_(std::move(peer)), stop_(stop) {
    keep_alive(socket_.get());
}

void ControlChannel::send(ByteView frame, Deadline deadline) {
    if (frame.size() > most_swapped_bytes) throw std::logic_error("a frame is too large");
    const auto length = encode_length(frame.size());
    std::vector<std::byte> bytes(length.begin(), length.end());
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    if (key_) {
        const Digest code = code_of(side_, sent_++, frame);
        bytes.insert(bytes.end(), code.begin(), code.end());
    }
    write_all(bytes, deadline);
}

std::vector<std::byte> ControlChannel::receive(Deadline deadline, std::size_t most_bytes) {
    std::array<std::byte, length_bytes> length{};
    read_all(length, deadline);
    const std::size_t size = decode_length(length);
    if (size > most_bytes)
        fail(fmt::format("it announces {} B where {} are the most", size, most_bytes), see_peer);
    std::vector<std::byte> frame(size);
    read_all(frame, deadline);
    if (!key_) return frame;
    Digest code{};
    read_all(code, deadline);
    const ControlSide sender =
        side_ == ControlSide::client ? ControlSide::server : ControlSide::client;
    if (!is_same(code, code_of(sender, received_++, frame)))
        fail("a frame is not what that process sent", "see who is on the way between the two");
    return frame;
}

Digest ControlChannel::code_of(ControlSide sender, std::uint64_t number, ByteView frame) const {
    const std::string label =
        fmt::format("{} {}", sender == ControlSide::client ? "client" : "server", number);
    return hmac_sha256(*key_, {bytes_of(label), frame});
}

bool ControlChannel::has_news() const {
    std::array<pollfd, 2> polled{{{socket_.get(), POLLIN, 0}, {stop_, POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), 0) <= 0) return false;
    if (polled[1].revents != 0) throw_end();
    char first = 0;
    const ssize_t got = ::recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0) fail("it has closed the connection", see_peer);
    if (got < 0 && !is_try_again(errno)) fail(std::generic_category().message(errno), see_peer);
    return got > 0;
}

void ControlChannel::finish() noexcept {
    ::shutdown(socket_.get(), SHUT_WR);
}

void ControlChannel::wait(Wait what, Deadline deadline) const {
    const short event = what == Wait::to_read ? POLLIN : POLLOUT;
    std::array<pollfd, 2> polled{{{socket_.get(), event, 0}, {stop_, POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready == 0) fail("it does not answer in time", see_peer);
    if (ready > 0 && polled[1].revents != 0) throw_end();
}

void ControlChannel::write_all(ByteView bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        const ssize_t now = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (now >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(now));
        } else if (is_try_again(errno)) {
            wait(Wait::to_write, deadline);
        } else {
            fail(std::generic_category().message(errno), see_peer);
        }
    }
}

/// The deadline is one for all bytes: who sends them one by one gains nothing.
void ControlChannel::read_all(std::span<std::byte> bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        wait(Wait::to_read, deadline);
        const ssize_t now = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (now == 0) fail("it has closed the connection", see_peer);
        if (now > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(now));
        } else if (!is_try_again(errno)) {
            fail(std::generic_category().message(errno), see_peer);
        }
    }
}

void ControlChannel::fail(const std::string& why, const char* remedy) const {
    const char* const what = side_ == ControlSide::client ? "server" : "client";
    throw Error(ExitCode::library, fmt::format("the {} {} is lost", what, peer_), why, remedy);
}

std::vector<std::byte> ControlPeer::swap(std::span<const std::byte> mine) {
    const Deadline deadline = deadline_in(limit_);
    if (channel_.side() == ControlSide::client) {
        channel_.send(mine, deadline);
        return channel_.receive(deadline);
    }
    std::vector<std::byte> theirs = channel_.receive(deadline);
    channel_.send(mine, deadline);
    return theirs;
}

}  // namespace railgauge
