// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include <sys/socket.h>

#include "base/error.hpp"
#include "transport/control_channel.hpp"

namespace railgauge::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline std::array<FileDescriptor, 2> socket_pair() {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        throw std::runtime_error("socketpair failed");
    return {FileDescriptor(sockets[0]), FileDescriptor(sockets[1])};
}

/// Both ends of a control channel.
struct Ends {
    explicit Ends(std::array<FileDescriptor, 2> sockets = socket_pair())
        : client(std::move(sockets[0]), ControlSide::client, "storage:1"),
          server(std::move(sockets[1]), ControlSide::server, "rank:2") {}

    ControlChannel client;
    ControlChannel server;
};

/// The text of the error that `action` ends with.
template <class Action>
std::string error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

inline std::string text_of(const std::vector<std::byte>& frame) {
    return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

inline Deadline soon() {
    return deadline_in(seconds(60));
}

inline Deadline at_once() {
    return deadline_in(milliseconds(50));
}

}  // namespace railgauge::testing
