// SPDX-License-Identifier: Apache-2.0
// An event remembers when the stream came past it. It is ready when every record that entered a
// stream ran.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "stream.hpp"

struct CUevent_st {
  public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Timing { enabled, disabled };

    explicit CUevent_st(Timing timing) : timing_(timing) {}

    void entered();
    void passed();
    bool is_ready() const;
    std::uint64_t records() const;
    void wait_for(std::uint64_t record) const;
    TimePoint time() const;
    Timing timing() const { return timing_; }

    std::shared_ptr<gpu_double::Capture> capture() const { return capture_.lock(); }
    void captured_by(const std::shared_ptr<gpu_double::Capture>& capture) { capture_ = capture; }

  private:
    const Timing timing_;
    std::weak_ptr<gpu_double::Capture> capture_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::uint64_t entered_ = 0;
    std::uint64_t passed_ = 0;
    TimePoint time_;
};
