// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "transport/control_channel.hpp"

namespace railgauge {

/// Where a server outside MPI listens unless told otherwise.
inline constexpr std::uint16_t default_control_port = 7471;

struct ControlAddress {
    std::string host;  ///< name or address, IPv6 without brackets
    std::uint16_t port = default_control_port;

    /// "storage1:7471", "[fd00::1]:7471".
    std::string text() const;
};

/// "HOST", "HOST:PORT" or "[ADDRESS]:PORT". @param option named in the error
/// @throws Error(usage)
ControlAddress parse_control_address(std::string_view text, std::string_view option);

struct ControlListener {
    FileDescriptor socket;  ///< non-blocking
    ControlAddress at;      ///< numeric; the port is the one that was free when 0 was asked for
};

/// @throws Error(usage) when there is no such address here, or the port is taken
ControlListener listen_at(const ControlAddress& address);

/// The next connection as a channel; none when nobody waits. @param stop as ControlChannel's
std::optional<ControlChannel> accept_client(const ControlListener& listener, int stop);

/// @throws Error(library) that names the server
ControlChannel connect_to(const ControlAddress& address, Deadline deadline);

}  // namespace railgauge
