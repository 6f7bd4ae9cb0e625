// SPDX-License-Identifier: Apache-2.0
// What reaches the watchdog's thread from its own process: tasks and signals.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>

#include "base/file_descriptor.hpp"

namespace railgauge::board {

/// Tasks that the measuring thread gives to the watchdog's thread.
class TaskQueue {
  public:
    /// @throws Error(library)
    TaskQueue();

    /// Called by any thread; the other runs `task` soon.
    void post(std::function<void()> task);

    /// Runs everything posted so far, in order.
    void run_all();

    /// Readable while tasks wait.
    int descriptor() const noexcept { return wake_.get(); }

  private:
    FileDescriptor wake_;
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_;
};

/// Keeps SIGTERM and SIGINT from ending the process at once; the watchdog's thread reads them
/// instead.
///
/// They are blocked in the constructing thread, so in all threads that it starts later (MPI's), and
/// in programs that it starts: those must unblock them themselves.
class SignalGuard {
  public:
    /// @throws Error(library)
    SignalGuard();
    ~SignalGuard() { release(); }
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

    /// Readable when a signal has come.
    int descriptor() const noexcept { return descriptor_.get(); }

    /// The number of a signal that has come.
    std::optional<int> take() const;

    /// Puts the calling thread's mask back: a signal ends the process again.
    void release() noexcept;

  private:
    sigset_t before_{};
    bool is_blocking_ = false;
    FileDescriptor descriptor_;
};

/// "SIGTERM", "SIGINT".
std::string signal_name(int signal);

}  // namespace railgauge::board
