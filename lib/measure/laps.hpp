// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "measure/clock.hpp"

namespace railgauge {

/// Times of steps that follow each other.
class Laps {
  public:
    /// Nanoseconds since the last call, or since this was made.
    std::int64_t next() {
        const std::int64_t now_ns = monotonic_now_ns();
        return now_ns - std::exchange(before_ns_, now_ns);
    }

  private:
    std::int64_t before_ns_ = monotonic_now_ns();
};

}  // namespace railgauge
