// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/signals.hpp"

#include <utility>

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
