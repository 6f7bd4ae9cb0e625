// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/listener.hpp"

#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/destroyer.hpp"
#include "base/error.hpp"
#include "mpi/board/interface_addresses.hpp"

namespace railgauge::board {
namespace {

using AddressInfo = std::unique_ptr<addrinfo, Destroyer<&::freeaddrinfo>>;

AddressInfo resolve_numeric(const std::string& address, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const std::string service = std::to_string(port);
    if (::getaddrinfo(address.c_str(), service.c_str(), &hints, &found) != 0) return nullptr;
    return AddressInfo(found);
}

FileDescriptor make_socket(int family) {
    return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

FileDescriptor listen_at(const std::string& address) {
    const AddressInfo at = resolve_numeric(address, 0);
    if (!at) return FileDescriptor();
    FileDescriptor socket = make_socket(at->ai_family);
    const int off = 0;
    if (at->ai_family == AF_INET6) {
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    const bool listens = socket && ::bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 &&
                         ::listen(socket.get(), SOMAXCONN) == 0;
    if (!listens) socket.reset();
    return socket;
}

std::uint16_t port_of(const FileDescriptor& socket) {
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
    const in_port_t port = name.ss_family == AF_INET6
                               ? reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port
                               : reinterpret_cast<const sockaddr_in*>(&name)->sin_port;
    return ntohs(port);
}

/// All addresses: IPv6 takes IPv4 connections too, unless this kernel has no IPv6.
FileDescriptor listen_anywhere() {
    FileDescriptor socket = listen_at("::");
    return socket ? std::move(socket) : listen_at("0.0.0.0");
}

}  // namespace

Listener listen_on(const std::string& interface) {
    Listener listener;
    listener.addresses = interface_addresses(interface);
    if (interface.empty()) {
        listener.socket = listen_anywhere();
    } else if (!listener.addresses.empty()) {
        listener.addresses.resize(1);
        listener.socket = listen_at(listener.addresses.front());
    }
    if (!listener.socket || listener.addresses.empty()) {
        const int reason = listener.addresses.empty() ? EADDRNOTAVAIL : errno;
        throw Error(ExitCode::library,
                    fmt::format("the deadline board cannot listen on {}",
                                interface.empty() ? "any interface" : "'" + interface + "'"),
                    std::generic_category().message(reason),
                    "check --control-interface, or control_interface of the site file");
    }
    listener.port = port_of(listener.socket);
    return listener;
}

FileDescriptor accept_connection(const Listener& listener) {
    return FileDescriptor(
        ::accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

FileDescriptor begin_connection(const std::string& address, std::uint16_t port) {
    const AddressInfo to = resolve_numeric(address, port);
    if (!to) return FileDescriptor();
    FileDescriptor socket = make_socket(to->ai_family);
    if (!socket) return socket;
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int result = ::connect(socket.get(), to->ai_addr, to->ai_addrlen);
    if (result != 0 && errno != EINPROGRESS) socket.reset();
    return socket;
}

ConnectionState connection_state(int socket) {
    pollfd writable{socket, POLLOUT, 0};
    if (::poll(&writable, 1, 0) == 0) return ConnectionState::pending;
    int error = 0;
    socklen_t length = sizeof error;
    const bool known = ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0;
    return known && error == 0 ? ConnectionState::made : ConnectionState::failed;
}

}  // namespace railgauge::board
