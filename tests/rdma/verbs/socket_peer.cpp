// SPDX-License-Identifier: Apache-2.0
#include "socket_peer.hpp"

#include <cerrno>
#include <system_error>

#include <sys/socket.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

[[noreturn]] void fail(const std::string& why) {
    throw Error(ExitCode::library, "the other process does not answer", why, "see its output");
}

void set_deadline(int socket) {
    const timeval limit{30, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void send_all(int socket, const void* data, std::size_t size) {
    const auto* at = static_cast<const char*>(data);
    for (std::size_t sent = 0; sent < size;) {
        const ssize_t now = ::send(socket, at + sent, size - sent, MSG_NOSIGNAL);
        if (now < 0) fail(std::generic_category().message(errno));
        sent += static_cast<std::size_t>(now);
    }
}

void receive_all(int socket, void* data, std::size_t size) {
    auto* at = static_cast<char*>(data);
    for (std::size_t taken = 0; taken < size;) {
        const ssize_t now = ::recv(socket, at + taken, size - taken, 0);
        if (now < 0) fail(std::generic_category().message(errno));
        if (now == 0) fail("it has ended");
        taken += static_cast<std::size_t>(now);
    }
}

}  // namespace

std::vector<std::byte> SocketPeer::swap(std::span<const std::byte> mine) {
    set_deadline(socket_);
    const std::size_t own = mine.size();
    send_all(socket_, &own, sizeof own);
    send_all(socket_, mine.data(), own);
    std::size_t size = 0;
    receive_all(socket_, &size, sizeof size);
    std::vector<std::byte> theirs(size);
    receive_all(socket_, theirs.data(), size);
    return theirs;
}

}  // namespace railgauge
