// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <sched.h>

#include "measure/clock.hpp"

namespace railgauge {

/// Lets others run while a channel is polled in vain: seldom, so that a wait of some microseconds
/// is nothing but polls; often once it shows that somebody wants this CPU, another rank or the
/// kernel's own network thread, which the wait may be for.
class IdlePolls {
  public:
    void count() noexcept {
        if (++empty_ >= interval_) [[unlikely]]
            yield();
    }
    void reset() noexcept { empty_ = 0; }

  private:
    static constexpr std::uint32_t least_interval = 64;
    static constexpr std::uint32_t most_interval = 4096;
    static constexpr std::int64_t somebody_ran_ns = 3000;  // nobody: a system call, under 1 us

    void yield() noexcept {
        const std::int64_t before_ns = monotonic_now_ns();
        sched_yield();
        const bool is_shared = monotonic_now_ns() - before_ns > somebody_ran_ns;
        interval_ = is_shared ? least_interval : std::min(interval_ * 2, most_interval);
        empty_ = 0;
    }

    std::uint32_t empty_ = 0;
    std::uint32_t interval_ = most_interval;
};

}  // namespace railgauge
