// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sched.h>
#include <ucp/api/ucp.h>

#include "measure/clock.hpp"

namespace railgauge {

/// Lets the worker work until `is_done()`; false when that takes longer than the limit. Lets others
/// run while there is nothing to do.
template <class Condition>
bool progress_until(ucp_worker_h worker, std::int64_t limit_ns, Condition is_done) {
    const std::int64_t end_ns = monotonic_now_ns() + limit_ns;
    while (!is_done()) {
        if (ucp_worker_progress(worker) != 0) continue;
        if (monotonic_now_ns() > end_ns) return false;
        sched_yield();
    }
    return true;
}

}  // namespace railgauge
