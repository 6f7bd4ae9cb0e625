// SPDX-License-Identifier: Apache-2.0
#include "measure/runner.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace railgauge {
namespace {

CheckTally operator+(const CheckTally& a, const CheckTally& b) {
    return {a.checked + b.checked, a.wrong + b.wrong};
}

void describe_checks(const CheckTally& tally, CaseResult& result) {
    result.checked_elements = tally.checked;
    result.wrong_elements = tally.wrong;
    result.status = tally.wrong == 0 ? CaseStatus::done : CaseStatus::wrong;
    if (tally.wrong != 0) {
        result.reason =
            fmt::format("{} of {} checked elements are wrong", tally.wrong, tally.checked);
    }
}

void describe_traffic(const Workload& workload, CaseResult& result) {
    const Traffic traffic = workload.traffic();
    result.algbw_bytes = traffic.algbw_bytes;
    result.bus_factor = traffic.bus_factor;
}

/// A usage error says that the case cannot be done here: nothing broke, and a repetition would not
/// help.
CaseStatus status_after(const Error& error) {
    return error.code() == ExitCode::usage ? CaseStatus::skipped : CaseStatus::failed;
}

/// A start time that every rank can still meet: an agreement's own time is far below this.
constexpr std::int64_t start_margin_ns = 2'000'000;

}  // namespace

/// The timed part of one case.
class Runner::IterationRun {
  public:
    IterationRun(const Runner& runner, int case_id, IterationWorkload& workload, StopRule& rule,
                 SampleBuffer& samples)
        : runner_(runner),
          team_(runner.team_),
          progress_(runner.progress_),
          now_ns_(runner.clock_.now_ns),
          case_id_(case_id),
          workload_(workload),
          rule_(rule),
          samples_(samples),
          active_(workload.group() >= 0) {}

    CheckTally check(Phase phase, std::uint64_t round) {
        set(phase);
        if (!active_ || runner_.options_.check == CheckMode::off) return {};
        return workload_.check(round);
    }

    void warm_up() {
        set(Phase::warmup);
        const std::int64_t begin_ns = now_ns_();
        for (std::size_t i = 0; active_ && i < runner_.options_.warmup; ++i) {
            progress_.enter(i);
            workload_.launch();
            workload_.complete();
            progress_.leave(i);
        }
        choose_period(now_ns_() - begin_ns);
    }

    /// @return first sample of every block
    std::vector<std::uint64_t> take_samples() {
        std::vector<std::uint64_t> blocks;
        blocks.reserve(64);
        const std::size_t capacity = rule_.capacity();
        std::size_t taken = 0;
        std::size_t block = std::min(rule_.begin(), capacity);
        team_.barrier();
        set(Phase::timed);
        const std::int64_t begin_ns = now_ns_();
        while (block > 0) {
            blocks.push_back(taken);
            take_block(block);
            taken += block;
            if (taken == capacity) {  // the same on all ranks, no need to agree
                rule_.exhausted();
                break;
            }
            const double agreed = team_.max(observe(block, now_ns_() - begin_ns));
            block = std::min(rule_.next(agreed), capacity - taken);
        }
        return blocks;
    }

    /// Collective. What the case's `reason` must say of agreed starts that some rank missed.
    std::string missed_starts(std::size_t samples) {
        if (runner_.options_.start != StartMode::window) return {};
        const std::int64_t late = team_.max(late_starts_);
        if (late == 0) return {};
        return fmt::format("{} of {} agreed starts were missed; use a longer --window-period", late,
                           samples);
    }

  private:
    void set(Phase phase) {
        progress_.set(phase, case_id_);
        if (!active_) progress_.rest();
    }

    double observe(std::size_t block, std::int64_t since_start_ns) {
        return active_ ? rule_.observe({samples_.elapsed_ns().last(block), since_start_ns}) : 0;
    }

    /// In stretches after which the workload may put its own samples in order.
    void take_block(std::size_t samples) {
        while (samples > 0) {
            const std::size_t stretch = std::min(samples, workload_.longest_block());
            take_stretch(stretch);
            if (active_) workload_.end_block(stretch);
            samples -= stretch;
        }
    }

    void take_stretch(std::size_t samples) {
        const StartMode start = runner_.options_.start;
        if (start == StartMode::free) return loop(samples, [](std::size_t) {});
        if (start == StartMode::barrier) {
            return loop(samples, [this](std::size_t) { team_.barrier(); });
        }
        const std::int64_t offset_ns = runner_.options_.clock_offset_ns;
        const std::int64_t first_ns =
            team_.max(now_ns_() + offset_ns) + start_margin_ns - offset_ns;
        loop(samples, [this, first_ns](std::size_t i) {
            const std::int64_t start_ns = first_ns + static_cast<std::int64_t>(i) * period_ns_;
            late_starts_ += now_ns_() > start_ns ? 1 : 0;
            while (now_ns_() < start_ns) {
            }
        });
    }

    /// The timed loop: two clock reads, two stores of a sample and two of progress around each
    /// operation.
    template <class BeforeEach>
    void loop(std::size_t count, BeforeEach before_each) {
        const std::uint64_t ops = runner_.options_.ops_per_sample;
        const std::uint64_t first = samples_.size();
        for (std::size_t i = 0; i < count; ++i) {
            before_each(i);
            if (!active_) continue;
            progress_.enter(first + i);
            const std::int64_t entry_ns = now_ns_();
            for (std::uint64_t op = 0; op < ops; ++op)
                workload_.launch();
            workload_.complete();
            const std::int64_t exit_ns = now_ns_();
            progress_.leave(first + i);
            samples_.add(entry_ns, exit_ns);
        }
    }

    void choose_period(std::int64_t warmup_ns) {
        if (runner_.options_.start != StartMode::window) return;
        const auto operations =
            static_cast<std::int64_t>(std::max<std::size_t>(runner_.options_.warmup, 1));
        const auto ops = static_cast<std::int64_t>(runner_.options_.ops_per_sample);
        const std::int64_t automatic_ns = team_.max(2 * warmup_ns * ops / operations + 1000);
        const std::int64_t chosen_ns = runner_.options_.window_period_ns;
        period_ns_ = chosen_ns > 0 ? chosen_ns : automatic_ns;
    }

    const Runner& runner_;
    Team& team_;
    Progress& progress_;
    std::int64_t (*now_ns_)();
    int case_id_;
    IterationWorkload& workload_;
    StopRule& rule_;
    SampleBuffer& samples_;
    bool active_;
    std::int64_t period_ns_ = 0;
    std::int64_t late_starts_ = 0;
};

Runner::Runner(Team& team, Progress& progress, Clock clock, RunnerOptions options)
    : team_(team), progress_(progress), clock_(clock), options_(options) {}

CaseResult Runner::run(const Case& c, IterationWorkload& workload, StopRule& rule,
                       SampleBuffer& samples) {
    CaseResult result;
    result.started_ns = clock_.now_ns();
    progress_.set(Phase::prepare, c.id());
    try {
        agreed(team_, [&] {
            workload.prepare(c);
            result.ops_per_sample = options_.ops_per_sample * workload.ops_per_launch();
            const std::uint64_t bytes_per_sample = workload.traffic().bytes * result.ops_per_sample;
            samples.reset(workload.group() >= 0 ? rule.capacity() : 0, bytes_per_sample,
                          workload.extra_columns());
            workload.reserve(rule.capacity());
        });
    } catch (const AgreedError& error) {
        result.status = status_after(error);
        result.reason = error.what();
        result.wall_ns = clock_.now_ns() - result.started_ns;
        return result;
    }
    IterationRun run(*this, c.id(), workload, rule, samples);
    CheckTally tally = run.check(Phase::check_before, 0);
    run.warm_up();
    result.blocks = run.take_samples();
    for (std::size_t i = 0; i < workload.extra_columns().size(); ++i)
        workload.extra_cells(i, samples.extra(i));
    result.own_check = tally + run.check(Phase::check_after, 1);
    tally = team_.agree({}, result.own_check);
    describe_checks(tally, result);
    const std::string missed = run.missed_starts(samples.size());
    if (result.status == CaseStatus::done) result.reason = missed.empty() ? rule.remark() : missed;
    describe_traffic(workload, result);
    result.choice = workload.library_choice();
    result.wall_ns = clock_.now_ns() - result.started_ns;
    return result;
}

CaseResult Runner::run(const Case& c, WindowWorkload& workload, std::int64_t warmup_ns,
                       std::int64_t duration_ns, SampleSink& sink) {
    CaseResult result;
    result.started_ns = clock_.now_ns();
    progress_.set(Phase::prepare, c.id());
    try {
        agreed(team_, [&] { workload.prepare(c); });
        const std::int64_t offset_ns = options_.clock_offset_ns;
        const std::int64_t begin_ns =
            team_.max(clock_.now_ns() + offset_ns) + start_margin_ns + warmup_ns - offset_ns;
        progress_.set(Phase::timed, c.id());
        agreed(team_, [&] {
            if (workload.group() < 0) return progress_.rest();
            // The window is one operation: who has left it is not waited for.
            progress_.enter(0);
            workload.run({begin_ns, begin_ns + duration_ns}, sink);
            progress_.leave(0);
        });
        progress_.set(Phase::check_after, c.id());
        CheckTally tally;
        const bool check = options_.check == CheckMode::on && workload.group() >= 0;
        const auto failure = attempt([&] { tally = check ? workload.check() : CheckTally{}; });
        result.own_check = tally;
        describe_checks(team_.agree(failure, tally), result);
        describe_traffic(workload, result);
    } catch (const AgreedError& error) {
        result.status = status_after(error);
        result.reason = error.what();
    }
    result.wall_ns = clock_.now_ns() - result.started_ns;
    return result;
}

}  // namespace railgauge
