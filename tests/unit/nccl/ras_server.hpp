// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/file_descriptor.hpp"

namespace railgauge {

/// The connection a played RAS service serves.
class RasPeer {
  public:
    RasPeer(int socket, const std::atomic<bool>& over) : socket_(socket), over_(over) {}

    /// A line without its end; empty when the peer is gone or the test over.
    std::string hear() const;
    /// False when the peer is gone.
    bool say(std::string_view text) const;
    void stall() const;

  private:
    int socket_;
    const std::atomic<bool>& over_;
};

/// Listens on a free port of 127.0.0.1, names it in NCCL_RAS_ADDR and serves one connection as
/// `behave` says.
class RasServer {
  public:
    explicit RasServer(std::function<void(const RasPeer&)> behave);
    ~RasServer() { finish(); }

    int port() const { return port_; }
    void finish();

  private:
    FileDescriptor listener_;
    int port_ = 0;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

}  // namespace railgauge
