// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace railgauge::board {

/// Numeric addresses of the interfaces that are up, or of `interface` only: IPv4, then IPv6, then
/// link-local IPv6 with its scope (`fe80::1%eth0`), loopback addresses last.
std::vector<std::string> interface_addresses(const std::string& interface);

/// A non-blocking listening socket, and the numeric addresses at which others may find it, best
/// first.
struct Listener {
    FileDescriptor socket;
    std::vector<std::string> addresses;
    std::uint16_t port = 0;
};

/// Listens on a free port of `interface`'s first address (IPv4 before IPv6), or, when `interface`
/// is empty, on all addresses. @throws Error(library)
Listener listen_on(const std::string& interface);

/// The next connection, non-blocking; none, with errno set, when nobody waits (EAGAIN) or this
/// process may open no more files.
FileDescriptor accept_connection(const Listener& listener);

/// Begins a connection without waiting for it. None when the attempt failed at once.
FileDescriptor begin_connection(const std::string& address, std::uint16_t port);

/// What has become of a connection that was begun.
enum class ConnectionState { pending, made, failed };
ConnectionState connection_state(int socket);

}  // namespace railgauge::board
