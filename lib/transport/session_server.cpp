// SPDX-License-Identifier: Apache-2.0
#include "transport/session_server.hpp"

#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/log.hpp"

namespace railgauge {
namespace {

FileDescriptor make_event() {
    return FileDescriptor(
        check_errno(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "waking through", "eventfd"));
}

void raise(const FileDescriptor& event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event.get(), &one, sizeof one);
}

void clear(const FileDescriptor& event) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(event.get(), &count, sizeof count);
}

}  // namespace

SessionServer::SessionServer(ControlListener listener, const Token& token, SessionLimits limits,
                             Serve serve, Refuse refuse)
    : listener_(std::move(listener)),
      token_(token),
      limits_(limits),
      serve_(std::move(serve)),
      refuse_(std::move(refuse)),
      stop_(make_event()),
      changed_(make_event()) {}

SessionServer::~SessionServer() {
    raise(stop_);
    for (Worker& worker : workers_)
        worker.thread.join();
}

void SessionServer::run(int end) {
    while (!is_over()) {
        const bool has_room = unproved_ < limits_.most_unproved;
        const short listens = has_room ? POLLIN : 0;
        std::array<pollfd, 3> polled{
            {{end, POLLIN, 0}, {changed_.get(), POLLIN, 0}, {listener_.socket.get(), listens, 0}}};
        ::poll(polled.data(), polled.size(), -1);
        if (polled[0].revents != 0) return;
        if (polled[1].revents != 0) clear(changed_);
        forget_done();
        if ((polled[2].revents & POLLIN) != 0) start_one();
    }
}

bool SessionServer::stop(std::chrono::nanoseconds limit) {
    raise(stop_);
    const Deadline deadline = deadline_in(limit);
    forget_done();
    while (!workers_.empty() && std::chrono::steady_clock::now() < deadline) {
        pollfd changed{changed_.get(), POLLIN, 0};
        constexpr int at_most_ms = 50;
        ::poll(&changed, 1, at_most_ms);
        clear(changed_);
        forget_done();
    }
    return workers_.empty();
}

bool SessionServer::is_over() const {
    const std::lock_guard lock(mutex_);
    return limits_.sessions > 0 && begun_ >= limits_.sessions && open_ == 0;
}

void SessionServer::forget_done() {
    for (auto worker = workers_.begin(); worker != workers_.end();) {
        if (!worker->is_done) {
            ++worker;
            continue;
        }
        worker->thread.join();
        worker = workers_.erase(worker);
    }
}

void SessionServer::start_one() {
    std::optional<ControlChannel> channel = accept_client(listener_, stop_.get());
    if (!channel) {
        // Out of descriptors, say: the one that waits must not make this loop spin.
        constexpr auto pause = std::chrono::milliseconds(20);
        return std::this_thread::sleep_for(pause);
    }
    ++unproved_;
    Worker& worker = workers_.emplace_back();
    try {
        worker.thread = std::thread(
            [this, &worker, own = std::move(*channel)]() mutable { work(worker, std::move(own)); });
    } catch (const std::system_error& error) {
        log_here("a client is turned away: no thread for it ({})", error.what());
        workers_.pop_back();
        --unproved_;
    }
}

void SessionServer::work(Worker& worker, ControlChannel channel) {
    try {
        admit(channel);
        serve(channel);
    } catch (const std::exception& error) {
        log_here("session with {}: {}", channel.peer(), error.what());
    }
    worker.is_done = true;
    wake();
}

void SessionServer::admit(ControlChannel& channel) {
    const auto proved = [this] {
        --unproved_;
        wake();
    };
    try {
        admit_client(channel, token_, deadline_in(limits_.proof_time));
    } catch (...) {
        proved();
        throw;
    }
    proved();
}

void SessionServer::serve(ControlChannel& channel) {
    std::string why;
    if (!take_place(why)) {
        refuse_(channel, why);
        log_here("session with {}: refused, {}", channel.peer(), why);
        return;
    }
    try {
        log_here("session with {}: begins", channel.peer());
        const std::string summary = serve_(channel);
        log_here("session with {}: ends, {}", channel.peer(), summary);
    } catch (...) {
        leave_place();
        throw;
    }
    leave_place();
}

bool SessionServer::take_place(std::string& why) {
    const std::lock_guard lock(mutex_);
    if (limits_.sessions > 0 && begun_ >= limits_.sessions) {
        why = fmt::format("the server ends after {} sessions", limits_.sessions);
        return false;
    }
    if (open_ >= limits_.most_sessions) {
        why = fmt::format("the server has {} sessions, its most", open_);
        return false;
    }
    ++begun_;
    ++open_;
    return true;
}

void SessionServer::leave_place() {
    const std::lock_guard lock(mutex_);
    --open_;
}

void SessionServer::wake() const {
    raise(changed_);
}

}  // namespace railgauge
