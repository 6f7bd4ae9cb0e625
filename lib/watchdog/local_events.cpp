// SPDX-License-Identifier: Apache-2.0
#include "watchdog/local_events.hpp"

#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.hpp"

namespace railgauge::board {
namespace {

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

}  // namespace

TaskQueue::TaskQueue()
    : wake_(check_errno(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "waking through", "eventfd")) {}

void TaskQueue::post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void TaskQueue::run_all() {
    std::vector<std::function<void()>> tasks;
    {
        const std::lock_guard lock(mutex_);
        tasks.swap(waiting_);
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    }
    for (const auto& task : tasks)
        task();
}

SignalGuard::SignalGuard() {
    const sigset_t set = ending_signals();
    descriptor_.reset(check_errno(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC),
                                  "reading signals through", "signalfd"));
    is_blocking_ = ::pthread_sigmask(SIG_BLOCK, &set, &before_) == 0;
}

std::optional<int> SignalGuard::take() const {
    signalfd_siginfo info{};
    const ssize_t got = ::read(descriptor_.get(), &info, sizeof info);
    if (got != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

void SignalGuard::release() noexcept {
    if (std::exchange(is_blocking_, false)) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::string signal_name(int signal) {
    return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace railgauge::board
