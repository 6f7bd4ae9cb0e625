// SPDX-License-Identifier: Apache-2.0
#include "watchdog/sockets.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/destroyer.hpp"
#include "base/error.hpp"

namespace railgauge::board {
namespace {

using InterfaceList = std::unique_ptr<ifaddrs, Destroyer<&::freeifaddrs>>;

/// Order of preference; smaller is better.
int preference(const ifaddrs& entry) {
    const int loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0 ? 10 : 0;
    if (entry.ifa_addr->sa_family == AF_INET) return loopback;
    const auto* address = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
    return loopback + (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr) ? 2 : 1);
}

bool is_usable(const ifaddrs& entry, const std::string& interface) {
    if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
    if (!interface.empty() && interface != entry.ifa_name) return false;
    return entry.ifa_addr->sa_family == AF_INET || entry.ifa_addr->sa_family == AF_INET6;
}

std::string numeric(const sockaddr* address) {
    const socklen_t length =
        address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::array<char, NI_MAXHOST> text{};
    const int failed =
        ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    return failed != 0 ? "" : text.data();
}

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

std::vector<std::string> interface_addresses(const std::string& interface) {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const InterfaceList list(first);
    std::vector<std::pair<int, std::string>> ranked;
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (is_usable(*entry, interface)) {
            ranked.emplace_back(preference(*entry), numeric(entry->ifa_addr));
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> addresses;
    for (auto& [rank, address] : ranked) {
        if (!address.empty()) addresses.push_back(std::move(address));
    }
    return addresses;
}

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
