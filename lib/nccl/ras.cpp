// SPDX-License-Identifier: Apache-2.0
#include "nccl/ras.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/file_descriptor.hpp"
#include "base/utf8.hpp"
#include "nccl/ras_address.hpp"

namespace railgauge {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t most_line_bytes = 4096;
/// The service gives up on unanswering processes this long after the timeout it was told.
/// So that a deadline can be reckoned from any limit.
constexpr std::chrono::hours longest_limit{1};

/// Waits until `events` or an error is there; false at the deadline.
bool wait_for(int socket, short events, ras::Deadline deadline) {
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0) return false;
        pollfd watched{socket, events, 0};
        const int timeout_ms = static_cast<int>(std::min<decltype(left)>(left, 60'000));
        const int ready = ::poll(&watched, 1, timeout_ms);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

bool passing(int error) {
    return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
}

bool connected(int socket) {
    int error = 0;
    socklen_t length = sizeof error;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

FileDescriptor connect_to(const ras::Endpoint& endpoint, ras::Deadline deadline) {
    FileDescriptor socket(
        ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return socket;
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    if (::connect(socket.get(), address, endpoint.length) == 0) return socket;
    const bool made = errno == EINPROGRESS && wait_for(socket.get(), POLLOUT, deadline) &&
                      connected(socket.get());
    if (!made) socket.reset();
    return socket;
}

FileDescriptor connect_to(const std::optional<ras::Address>& address, ras::Deadline deadline) {
    if (!address) return FileDescriptor();
    for (const ras::Endpoint& endpoint : ras::resolve(*address, deadline)) {
        if (FileDescriptor socket = connect_to(endpoint, deadline)) return socket;
    }
    return FileDescriptor();
}

bool begins_with(std::string_view text, std::string_view beginning) {
    return text.size() >= beginning.size() &&
           ::strncasecmp(text.data(), beginning.data(), beginning.size()) == 0;
}

/// Lines to and from the service, until the deadline and no further.
class Conversation {
  public:
    Conversation(FileDescriptor socket, ras::Deadline deadline)
        : socket_(std::move(socket)), deadline_(deadline) {}

    bool say(std::string_view text) {
        while (!text.empty()) {
            if (!wait_for(socket_.get(), POLLOUT, deadline_)) return false;
            const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0 && !passing(errno)) return false;
            if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// The next line without its end; none when there is no whole one.
    std::optional<std::string> line() {
        std::size_t end = received_.find('\n');
        while (end == std::string::npos) {
            if (received_.size() >= most_line_bytes || !receive()) return std::nullopt;
            end = received_.find('\n');
        }
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
    }

    std::optional<std::string> reply_to(std::string_view text) {
        return say(text) ? line() : std::nullopt;
    }

    std::string rest() {
        while (received_.size() < most_ras_bytes && receive()) {
        }
        received_.resize(std::min(received_.size(), most_ras_bytes));
        return std::move(received_);
    }

  private:
    /// False at the end of the connection or of the time.
    bool receive() {
        std::array<char, 16384> block;
        if (!wait_for(socket_.get(), POLLIN, deadline_)) return false;
        const ssize_t count = ::recv(socket_.get(), block.data(), block.size(), 0);
        if (count < 0) return passing(errno);
        received_.append(block.data(), static_cast<std::size_t>(count));
        return count > 0;
    }

    FileDescriptor socket_;
    ras::Deadline deadline_;
    std::string received_;
};

/// The service refuses what it does not know with a line of its own, and goes on.
bool understood(const std::optional<std::string>& reply) {
    return reply && (begins_with(*reply, "OK") || begins_with(*reply, "ERROR"));
}

std::string printable_lines(std::string_view text) {
    std::string lines;
    lines.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
        lines += printable_utf8(text.substr(0, end));
        lines += text.substr(end, 1);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string query_ras(milliseconds limit) {
    limit = std::min<milliseconds>(limit, longest_limit);
    const ras::Deadline deadline = steady_clock::now() + limit;
    FileDescriptor socket = connect_to(ras::address_of_environment(), deadline);
    if (!socket) return "";
    Conversation service(std::move(socket), deadline);
    const auto greeting = service.reply_to("CLIENT PROTOCOL 2\n");
    if (!greeting || !begins_with(*greeting, "SERVER PROTOCOL ")) return "";
    const bool ready = understood(service.reply_to("TIMEOUT 1\n")) &&
                       understood(service.reply_to("SET FORMAT json\n"));
    if (!ready || !service.say("VERBOSE STATUS\n")) return "";
    return printable_lines(service.rest());
}

}  // namespace railgauge
