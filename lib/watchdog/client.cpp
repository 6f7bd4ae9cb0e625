// SPDX-License-Identifier: Apache-2.0
#include "watchdog/client.hpp"

#include <utility>

#include "watchdog/sockets.hpp"

namespace railgauge::board {
namespace {

constexpr int most_frames = 64;                // in one step
constexpr milliseconds between_attempts{250};  // an address that answers needs less
constexpr milliseconds connecting_patience{3000};
// A board that is slow or stopped answers later; whoever closes first would look dead to it.
constexpr milliseconds answer_patience{30'000};
constexpr milliseconds between_rounds{1000};

}  // namespace

void Client::set_target(const BoardAddress& target) {
    if (target_ && target_->token == target.token) return;
    close();
    target_ = target;
    untried_.clear();
    next_attempt_ = Instant{};
    board_ = RankEntry{};
    board_.host = target.host;
}

void Client::step(Instant now, const Frame& own) {
    if (!is_connected() && target_) {
        begin_attempts(now, own.host);
        follow_attempts(now, own);
    }
    if (!is_connected()) return;
    if (now >= next_report_) {
        channel_->send(own);
        next_report_ = now + interval_;
    }
    listen(now);
}

void Client::tell(const Frame& frame) {
    if (channel_) channel_->send(frame);
    for (Attempt& attempt : attempts_) {  // a stopped board reads it when it goes on
        if (attempt.greeted) attempt.channel.send(frame);
    }
}

void Client::close() {
    channel_.reset();
    attempts_.clear();
    target_.reset();
}

void Client::add_wakers(std::vector<pollfd>& wakers) const {
    if (is_connected()) wakers.push_back({channel_->descriptor(), POLLIN, 0});
    for (const Attempt& attempt : attempts_) {
        const short event = attempt.greeted ? POLLIN : POLLOUT;
        wakers.push_back({attempt.channel.descriptor(), event, 0});
    }
}

/// One address after the other, not waiting for those that are filtered or on another network.
void Client::begin_attempts(Instant now, const std::string& host) {
    if (now < next_attempt_) return;
    if (untried_.empty()) {
        if (!attempts_.empty()) return;
        untried_ = addresses_for(*target_, host);
    }
    attempts_.push_back({Channel(begin_connection(untried_.front(), target_->port)), now});
    untried_.erase(untried_.begin());
    next_attempt_ = now + (untried_.empty() ? between_rounds : between_attempts);
}

void Client::follow_attempts(Instant now, const Frame& own) {
    std::vector<Attempt> pending;
    for (Attempt& attempt : attempts_) {
        if (is_connected()) break;
        if (follow(attempt, now, own)) pending.push_back(std::move(attempt));
    }
    attempts_.clear();
    if (!is_connected()) attempts_ = std::move(pending);
}

/// @return whether the attempt goes on; one that the board answers becomes the connection
bool Client::follow(Attempt& attempt, Instant now, const Frame& own) {
    Channel& channel = attempt.channel;
    const milliseconds patience = attempt.greeted ? answer_patience : connecting_patience;
    if (!channel.is_open() || now - attempt.since > patience) return false;
    if (!attempt.greeted) {
        const ConnectionState state = connection_state(channel.descriptor());
        if (state != ConnectionState::made) return state == ConnectionState::pending;
        Frame hello = own;
        hello.type = FrameType::hello;
        hello.token = target_->token;
        channel.send(hello);
        attempt.greeted = true;
    }
    const auto answer = channel.receive();
    if (!answer) return channel.is_open();
    channel_ = std::move(channel);
    next_report_ = now;
    board_.link = Link::connected;
    note(*answer, now);
    return false;
}

void Client::listen(Instant now) {
    for (int taken = 0; taken < most_frames && channel_->is_open(); ++taken) {
        if (const auto frame = channel_->receive())
            note(*frame, now);
        else
            break;
    }
    if (channel_->is_open()) return;
    channel_.reset();
    next_attempt_ = now + between_rounds;
    if (board_.link == Link::connected)
        board_.link = Link::gone;
    else
        target_.reset();  // the board has said that it ends
}

void Client::note(const Frame& frame, Instant now) {
    switch (frame.type) {
        case FrameType::goodbye: board_.link = Link::left; break;
        case FrameType::failed: board_.link = Link::failed; break;
        case FrameType::signalled: board_.link = Link::ended; break;
        case FrameType::expired: expired_ = true; break;
        default: break;
    }
    board_.at = frame.at;
    board_.cpu_ms = frame.cpu_ms;
    board_.library_error = frame.library_error;
    board_.heard = now;
    if (!frame.host.empty()) board_.host = frame.host;
}

}  // namespace railgauge::board
