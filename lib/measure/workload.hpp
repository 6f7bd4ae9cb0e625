// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/case.hpp"
#include "measure/sample.hpp"
#include "measure/sample_sink.hpp"

namespace railgauge {

/// What a prepared case moves.
struct Traffic {
    std::uint64_t bytes = 0;        ///< payload of one operation, the `bytes` column
    std::uint64_t algbw_bytes = 0;  ///< X of algbw = X / time
    double bus_factor = 0;          ///< busbw = algbw x bus_factor; NaN where it has no meaning
};

/// What both kinds of workload have in common. One object serves all cases of a program.
class Workload {
  public:
    virtual ~Workload() = default;

    /// What to call now and then in work that takes long and whose operations nobody counts:
    /// filling and checking large buffers. Without it the deadline would take that for a hang.
    virtual void set_sign_of_life(const std::function<void()>& alive) { static_cast<void>(alive); }

    /// Sets everything up for `c` on this rank; may allocate and communicate.
    /// @throws Error; Error(usage) when the case cannot be done here, which skips it
    virtual void prepare(const Case& c) = 0;

    /// The colour of the group this rank measures in; -1 = idle in this case.
    virtual int group() const { return 0; }

    virtual Traffic traffic() const = 0;

    /// What the library under test chose for the case: columns of /cases.
    virtual LibraryChoice library_choice() const { return {}; }

    /// Columns beyond the standard ones.
    virtual std::vector<SampleColumn> extra_columns() const { return {}; }

    /// The clean end, called by all ranks after the last case.
    virtual void close() {}
};

/// One operation at a time; the Runner times it.
class IterationWorkload : public Workload {
  public:
    /// The workload that serves `c`: this one, or one that it holds for cases of another kind.
    virtual IterationWorkload& serving(const Case& c) {
        static_cast<void>(c);
        return *this;
    }

    /// One collective or message, launched and brought to completion. Between two calls nothing
    /// happens.
    virtual void launch() = 0;

    /// Waits for everything launched. Empty where launch() itself blocks.
    virtual void complete() {}

    /// Operations that one launch() stands for, once prepared.
    virtual std::uint64_t ops_per_launch() const { return 1; }

    /// After at most so many samples in a row the Runner calls end_block(): a pause in which a
    /// workload may read what it timed itself. The same number on all ranks.
    virtual std::size_t longest_block() const { return SIZE_MAX; }
    virtual void end_block(std::size_t samples) { static_cast<void>(samples); }

    /// Fills fresh buffers with the pattern of `round`, runs one operation and compares every
    /// element.
    virtual CheckTally check(std::uint64_t round) = 0;

    /// Called before the timed loop: `samples` is the most it will take.
    virtual void reserve(std::size_t samples) { static_cast<void>(samples); }

    /// Fills the cells of extra column `column` for the samples just taken.
    virtual void extra_cells(std::size_t column, std::span<Cell> cells) const {
        static_cast<void>(column);
        static_cast<void>(cells);
    }
};

/// From when to when a window workload issues requests, on this rank's monotonic clock.
struct Window {
    std::int64_t begin_ns;  ///< requests that start earlier are warm-up and not sampled
    std::int64_t end_ns;    ///< no request starts later
};

/// Many operations in flight; times its own requests.
class WindowWorkload : public Workload {
  public:
    /// Columns of this workload's rows, start_ns, elapsed_ns and bytes first.
    virtual std::vector<SampleColumn> columns() const = 0;

    /// Runs until the window ends and everything in flight is settled.
    virtual void run(const Window& window, SampleSink& sink) = 0;

    /// Verifies what the last window moved.
    virtual CheckTally check() = 0;
};

}  // namespace railgauge
