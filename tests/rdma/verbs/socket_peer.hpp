// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.hpp"
#include "transport/fabric.hpp"

namespace railgauge {

/// The process at the other end of a socket. Several channels may share the socket.
class SocketPeer : public Peer {
  public:
    explicit SocketPeer(int socket) : socket_(socket) {}

    std::string name() const override { return "the other process"; }

    /// @throws Error(library) when the other side is gone, or silent for half a minute
    std::vector<std::byte> swap(std::span<const std::byte> mine) override;

  private:
    int socket_;
};

}  // namespace railgauge
