// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "measure/clock.hpp"
#include "measure/progress.hpp"
#include "measure/sample_buffer.hpp"
#include "measure/stop_rule.hpp"
#include "measure/team.hpp"
#include "measure/workload.hpp"

namespace railgauge {

/// How an iteration begins: back to back (lateness shows), at an agreed time, or after a barrier.
enum class StartMode { free, window, barrier };

enum class CheckMode { on, off };

struct RunnerOptions {
    StartMode start = StartMode::free;
    CheckMode check = CheckMode::on;
    std::size_t warmup = 5;
    std::uint64_t ops_per_sample = 1;  ///< more than 1: batched
    std::int64_t window_period_ns =
        0;  ///< StartMode::window: distance of starts; 0 = twice the warm-up's time
    std::int64_t clock_offset_ns =
        0;  ///< common clock minus this rank's clock, for agreed start times
};

/// Measures one case: prepare, check round, warm-up, timed blocks until the StopRule has enough,
/// check round.
///
/// What any rank cannot prepare ends the case on all of them as `failed` or `skipped`, and the plan
/// goes on. An error inside an operation is thrown: it leaves the ranks in different places, so the
/// job must end. Times are this rank's clock; the Recorder moves them to the common clock.
class Runner {
  public:
    Runner(Team& team, Progress& progress, Clock clock, RunnerOptions options);

    CaseResult run(const Case& c, IterationWorkload& workload, StopRule& rule,
                   SampleBuffer& samples);

    /// @param duration_ns,warmup_ns of the window, the same on all ranks
    CaseResult run(const Case& c, WindowWorkload& workload, std::int64_t warmup_ns,
                   std::int64_t duration_ns, SampleSink& sink);

  private:
    class IterationRun;

    Team& team_;
    Progress& progress_;
    Clock clock_;
    RunnerOptions options_;
};

}  // namespace railgauge
