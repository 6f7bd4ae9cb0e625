// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <sys/types.h>

#include "measure/progress.hpp"
#include "watchdog/library_watch.hpp"
#include "watchdog/local_events.hpp"
#include "watchdog/plan.hpp"
#include "watchdog/side.hpp"
#include "watchdog/watchdog.hpp"

namespace railgauge::board {

/// Samples this rank's Progress and the CPU time of the thread that constructs the sampler.
class ProgressSampler {
  public:
    ProgressSampler(const Progress& progress, Instant now);

    /// A beat of this rank, without rank and host.
    Frame sample(Instant now);

    /// The process was stopped for `gap`: it could not get on.
    void forgive(Instant::duration gap) { changed_ += gap; }

  private:
    void sample_cpu(Instant now);

    const Progress& progress_;
    clockid_t cpu_clock_{};
    bool has_cpu_clock_ = false;
    std::uint64_t pulse_ = 0;
    Instant changed_;
    std::chrono::nanoseconds cpu_before_{0};
    Instant cpu_sampled_;
    std::uint32_t cpu_ms_ = 0;
};

/// The loop of the watchdog's thread: sleeps, samples this rank's progress, exchanges it with the
/// other ranks, ends the process when it must.
class WatchLoop {
  public:
    /// Constructed by the measuring thread. @throws Error(library) when rank 0 cannot open its
    /// board
    WatchLoop(const Progress& progress, Watchdog::Options options);

    /// The thread's whole life: until stop().
    void run();

    /// For the measuring thread: have `task` run between two steps.
    void post(std::function<void()> task) { tasks_.post(std::move(task)); }

    /// Makes run() return. @return whether it did within `patience`
    bool stop(milliseconds patience);

    /// Puts the calling thread's signal mask back.
    void release_signals() noexcept { signals_.release(); }

    // Tasks: to be posted.
    std::string board_address();
    void connect(int rank, int size, const std::string& board_address);
    void set_plan(Plan plan) { plan_ = std::move(plan); }
    void set_library(LibraryWatch library) { library_ = std::move(library); }
    void announce_failure() { side_->announce(own_frame(FrameType::failed)); }

  private:
    void open_board(int size);
    Frame own_frame(FrameType type);
    void sleep();
    void forgive_gap(Instant now);
    void obey_signals();
    [[noreturn]] void end_by_signal(const std::string& name, int exit_code);
    [[noreturn]] void end_by_deadline(const Expiry& expiry);
    void write_report(ExpiredReport report);

    Watchdog::Options options_;
    Setting setting_;
    Plan plan_;
    LibraryWatch library_;
    int rank_;
    pid_t launcher_;
    SignalGuard signals_;
    TaskQueue tasks_;
    ProgressSampler sampler_;
    std::unique_ptr<Side> side_;
    Instant due_;  ///< when the thread meant to wake
    bool is_stopping_ = false;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
};

}  // namespace railgauge::board
