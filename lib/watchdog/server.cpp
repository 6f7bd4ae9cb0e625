// SPDX-License-Identifier: Apache-2.0
#include "watchdog/server.hpp"

#include <cerrno>
#include <utility>

namespace railgauge::board {
namespace {

constexpr std::size_t most_newcomers = 256;
constexpr int most_frames = 64;  // of one rank in one step, so that none can hold the board up
constexpr milliseconds newcomer_patience{3000};
// A rank whose old connection broke unseen may come back; a second process of its number may not.
constexpr milliseconds replaceable_after{3000};

/// Loopback is for ranks on this host, so the list keeps its end.
std::vector<std::string> bounded(std::vector<std::string> addresses) {
    if (addresses.size() > most_addresses) {
        addresses[most_addresses - 1] = addresses.back();
        addresses.resize(most_addresses);
    }
    return addresses;
}

}  // namespace

Server::Server(const std::string& interface, std::string job, std::string host, Instant now)
    : listener_(listen_on(interface)),
      address_{bounded(listener_.addresses), listener_.port, make_token(), std::move(job),
               std::move(host)},
      table_(now) {}

std::vector<int> Server::step(Instant now, const Frame& own) {
    table_.note(own, now);
    drop_late_newcomers(now);
    accept_newcomers(now);
    admit_newcomers(now, own);
    std::vector<int> dead;
    for (auto at = ranks_.begin(); at != ranks_.end();) {
        auto& [rank, channel] = *at;
        listen_to(rank, channel, now);
        if (!channel.is_open() && table_.note_closed(rank)) dead.push_back(rank);
        at = channel.is_open() ? std::next(at) : ranks_.erase(at);
    }
    return dead;
}

void Server::tell_all(const Frame& frame) {
    for (auto& [rank, channel] : ranks_)
        channel.send(frame);
}

void Server::add_wakers(std::vector<pollfd>& wakers) const {
    if (!is_full_) wakers.push_back({listener_.socket.get(), POLLIN, 0});
    for (const Newcomer& newcomer : newcomers_)
        wakers.push_back({newcomer.channel.descriptor(), POLLIN, 0});
    for (const auto& [rank, channel] : ranks_) {
        wakers.push_back({channel.descriptor(), POLLRDHUP, 0});
    }
}

void Server::drop_late_newcomers(Instant now) {
    std::erase_if(newcomers_, [now](const Newcomer& newcomer) {
        return now - newcomer.since > newcomer_patience;
    });
}

void Server::accept_newcomers(Instant now) {
    for (std::size_t taken = 0; taken < most_newcomers; ++taken) {
        FileDescriptor socket = accept_connection(listener_);
        is_full_ = !socket && errno != EAGAIN && errno != EINTR;
        if (!socket) return;
        if (newcomers_.size() < most_newcomers)
            newcomers_.push_back({Channel(std::move(socket)), now});
    }
}

void Server::admit_newcomers(Instant now, const Frame& own) {
    std::vector<Newcomer> waiting;
    for (Newcomer& newcomer : newcomers_) {
        const auto frame = newcomer.channel.receive();
        if (frame && may_join(*frame, now)) {
            newcomer.channel.send(own);
            table_.note(*frame, now);
            ranks_.insert_or_assign(frame->rank, std::move(newcomer.channel));
        } else if (!frame && newcomer.channel.is_open()) {
            waiting.push_back(std::move(newcomer));
        }
    }
    newcomers_ = std::move(waiting);
}

bool Server::may_join(const Frame& frame, Instant now) const {
    if (frame.type != FrameType::hello || frame.token != address_.token) return false;
    const auto& known = table_.ranks();
    const auto rank = static_cast<std::size_t>(frame.rank);
    if (rank == 0 || (table_.is_size_known() && rank >= known.size())) return false;
    return !ranks_.contains(frame.rank) || now - known[rank].heard > replaceable_after;
}

void Server::listen_to(int rank, Channel& channel, Instant now) {
    const auto& known = table_.ranks();
    const bool foreign = static_cast<std::size_t>(rank) >= known.size();
    for (int taken = 0; taken < most_frames; ++taken) {
        const auto frame = channel.receive();
        if (!frame) return;
        if (foreign || frame->rank != rank || frame->type == FrameType::hello)
            channel.close();
        else
            table_.note(*frame, now);
    }
}

}  // namespace railgauge::board
