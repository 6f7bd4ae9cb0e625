// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include <sys/types.h>

#include "mpi/board/duty.hpp"
#include "mpi/board/orders.hpp"
#include "mpi/board/pulse_watch.hpp"
#include "mpi/board/signals.hpp"
#include "mpi/watchdog.hpp"

namespace railgauge::board {

/// The watchdog's thread: sleeps, samples the pulse, does its duty, ends the process when it must.
class Keeper {
  public:
    /// Constructed by the measuring thread. @throws Error(library) when rank 0 cannot open its
    /// board
    Keeper(const Progress& progress, Watchdog::Options options);

    /// The thread's whole life: until stop().
    void run();

    /// For the measuring thread: have `order` run between two steps.
    void post(std::function<void()> order) { orders_.post(std::move(order)); }

    /// Makes run() return. @return whether it did within `patience`
    bool stop(milliseconds patience);

    /// Puts the calling thread's signal mask back.
    void release_signals() noexcept { signals_.release(); }

    // Orders, run by the thread.
    std::string board_address();
    void connect(int rank, int size, const std::string& board_address);
    void set_plan(Plan plan) { plan_ = std::move(plan); }
    void announce_failure() { duty_->announce(own_frame(FrameType::failed)); }

  private:
    void keep_board(int size);
    Frame own_frame(FrameType type);
    void sleep();
    void forgive_gap(Instant now);
    void heed_signals();
    [[noreturn]] void end_by_signal(const std::string& name, int exit_code);
    [[noreturn]] void end_by_deadline(const Expiry& expiry);
    void write_report(const ExpiredReport& report);

    Watchdog::Options options_;
    Setting setting_;
    Plan plan_;
    int rank_;
    pid_t launcher_;
    SignalGuard signals_;
    Orders orders_;
    PulseWatch pulse_;
    std::unique_ptr<Duty> duty_;
    Instant due_;  ///< when the thread meant to wake
    bool is_stopping_ = false;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
};

}  // namespace railgauge::board
