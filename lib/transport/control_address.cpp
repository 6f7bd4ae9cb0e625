// SPDX-License-Identifier: Apache-2.0
#include "transport/control_address.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/destroyer.hpp"
#include "base/error.hpp"

namespace railgauge {
namespace {

using AddressInfo = std::unique_ptr<addrinfo, Destroyer<&::freeaddrinfo>>;

[[noreturn]] void refuse(std::string_view option, std::string_view text) {
    throw Error(ExitCode::usage, fmt::format("{} '{}' is no address", option, text),
                "it has a host and a port of 0 to 65535", "give HOST, HOST:PORT or [IPv6]:PORT");
}

std::uint16_t parse_port(std::string_view port, std::string_view option, std::string_view text) {
    std::uint16_t number = 0;
    const char* const end = port.data() + port.size();
    const auto [rest, error] = std::from_chars(port.data(), end, number);
    if (port.empty() || rest != end || error != std::errc{}) refuse(option, text);
    return number;
}

/// @param error why there is none
AddressInfo resolve(const ControlAddress& address, int flags, std::string& error) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failed =
        ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
    if (failed != 0) error = ::gai_strerror(failed);
    return AddressInfo(failed == 0 ? found : nullptr);
}

FileDescriptor make_socket(int family) {
    return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

ControlAddress numeric(const sockaddr_storage& name, socklen_t size) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    ControlAddress address{"an unknown address", 0};
    const int failed =
        ::getnameinfo(reinterpret_cast<const sockaddr*>(&name), size, host.data(), host.size(),
                      port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
    if (failed != 0) return address;
    address.host = host.data();
    const std::string_view digits = port.data();
    std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    return address;
}

ControlAddress own_address(const FileDescriptor& socket) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    check_errno(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size),
                "asking for the address of", "a socket");
    return numeric(name, size);
}

FileDescriptor listening_socket(const addrinfo& at) {
    FileDescriptor socket = make_socket(at.ai_family);
    if (!socket) return socket;
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool listens = ::bind(socket.get(), at.ai_addr, at.ai_addrlen) == 0 &&
                         ::listen(socket.get(), SOMAXCONN) == 0;
    const int why = errno;
    if (!listens) socket.reset();
    errno = why;
    return socket;
}

/// Connected by the deadline; else none, and why.
FileDescriptor connected_socket(const addrinfo& to, Deadline deadline, std::string& error) {
    FileDescriptor socket = make_socket(to.ai_family);
    int reason = socket ? 0 : errno;
    if (socket && ::connect(socket.get(), to.ai_addr, to.ai_addrlen) != 0) reason = errno;
    if (reason == EINPROGRESS) {
        pollfd writable{socket.get(), POLLOUT, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        const int ready = ::poll(
            &writable, 1, static_cast<int>(std::max<std::int64_t>(0, std::int64_t{left.count()})));
        socklen_t length = sizeof reason;
        reason = ready == 1 ? 0 : ETIMEDOUT;
        if (ready == 1) ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &length);
    }
    if (reason == 0) return socket;
    error = std::generic_category().message(reason);
    return FileDescriptor();
}

}  // namespace

std::string ControlAddress::text() const {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

ControlAddress parse_control_address(std::string_view text, std::string_view option) {
    ControlAddress address;
    const bool has_brackets = text.starts_with('[');
    const std::size_t end = has_brackets ? text.find(']') : text.find(':');
    std::string_view rest = end == std::string_view::npos ? std::string_view() : text.substr(end);
    address.host = text.substr(has_brackets ? 1 : 0, has_brackets ? end - 1 : end);
    if (has_brackets && rest.empty()) refuse(option, text);
    if (has_brackets) rest.remove_prefix(1);
    if (address.host.empty() || (!rest.empty() && rest.front() != ':')) refuse(option, text);
    if (!rest.empty()) address.port = parse_port(rest.substr(1), option, text);
    return address;
}

ControlListener listen_at(const ControlAddress& address) {
    std::string why;
    const AddressInfo found = resolve(address, AI_PASSIVE, why);
    if (found) {
        FileDescriptor socket = listening_socket(*found);
        if (socket) {
            const ControlAddress at = own_address(socket);
            return {std::move(socket), at};
        }
        why = std::generic_category().message(errno);
    }
    throw Error(ExitCode::usage, fmt::format("cannot listen on {}", address.text()), why,
                "choose an address of this host, and a free port or 0");
}

std::optional<ControlChannel> accept_client(const ControlListener& listener, int stop) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    FileDescriptor socket(::accept4(listener.socket.get(), reinterpret_cast<sockaddr*>(&name),
                                    &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return std::nullopt;
    return ControlChannel(std::move(socket), ControlSide::server, numeric(name, size).text(), stop);
}

ControlChannel connect_to(const ControlAddress& address, Deadline deadline) {
    std::string why;
    const AddressInfo found = resolve(address, 0, why);
    for (const addrinfo* to = found.get(); to != nullptr; to = to->ai_next) {
        FileDescriptor socket = connected_socket(*to, deadline, why);
        if (socket) return {std::move(socket), ControlSide::client, address.text()};
    }
    throw Error(ExitCode::library, fmt::format("the server {} cannot be reached", address.text()),
                why, "see whether railgauge-pairs --serve runs there, and the route to it");
}

}  // namespace railgauge
