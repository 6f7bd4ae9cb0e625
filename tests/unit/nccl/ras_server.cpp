// SPDX-License-Identifier: Apache-2.0
#include "ras_server.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace railgauge {
namespace {

bool wait_for(int socket, short events, const std::atomic<bool>& over) {
    while (!over) {
        pollfd watched{socket, events, 0};
        if (::poll(&watched, 1, 10) > 0) return true;
    }
    return false;
}

}  // namespace

std::string RasPeer::hear() const {
    std::string line;
    char c = 0;
    while (wait_for(socket_, POLLIN, over_) && ::recv(socket_, &c, 1, 0) == 1) {
        if (c == '\n') return line;
        line += c;
    }
    return "";
}

bool RasPeer::say(std::string_view text) const {
    while (!text.empty()) {
        if (!wait_for(socket_, POLLOUT, over_)) return false;
        const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void RasPeer::stall() const {
    while (!over_)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

RasServer::RasServer(std::function<void(const RasPeer&)> behave)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), name, length) != 0 || ::listen(listener_.get(), 4) != 0 ||
        ::getsockname(listener_.get(), name, &length) != 0) {
        throw std::system_error(errno, std::generic_category(), "no port for the played service");
    }
    port_ = ntohs(address.sin_port);
    ::setenv("NCCL_RAS_ADDR", ("127.0.0.1:" + std::to_string(port_)).c_str(), 1);
    thread_ = std::thread([this, serve = std::move(behave)] {
        if (!wait_for(listener_.get(), POLLIN, over_)) return;
        const FileDescriptor peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (peer) serve(RasPeer(peer.get(), over_));
    });
}

void RasServer::finish() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
}

}  // namespace railgauge
