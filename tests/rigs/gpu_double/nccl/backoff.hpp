// SPDX-License-Identifier: Apache-2.0
// Waiting for another process: there may be more ranks than cores, so the core is given away soon.
#pragma once

#include <chrono>
#include <thread>

#include <sched.h>

namespace gpu_double {

class Backoff {
  public:
    void pause() {
        if (++tries_ <= yields) {
            sched_yield();
            return;
        }
        std::this_thread::sleep_for(tries_ <= short_naps ? std::chrono::microseconds(20)
                                                         : std::chrono::microseconds(200));
    }

  private:
    static constexpr int yields = 300;
    static constexpr int short_naps = 2000;
    int tries_ = 0;
};

}  // namespace gpu_double
