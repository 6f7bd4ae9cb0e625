// SPDX-License-Identifier: Apache-2.0
// What one raw sample costs over the bare operation: BM_sample - BM_bare_operation - 2 x
// BM_clock_read is our own part, at most 12 ns. `own_ns` is that difference, measured in
// interleaved rounds within one benchmark.
#include <algorithm>
#include <limits>

#include <benchmark/benchmark.h>

#include "lone_team.hpp"
#include "measure/clock.hpp"
#include "measure/runner.hpp"

namespace railgauge {
namespace {

constexpr std::size_t operations = 20'000;

/// An operation the compiler can neither see through nor leave out.
class TinyWorkload : public IterationWorkload {
  public:
    void prepare(const Case&) override {}
    Traffic traffic() const override { return {1, 1, 1}; }
    void launch() override { benchmark::DoNotOptimize(++launched_); }
    CheckTally check(std::uint64_t) override { return {}; }

  private:
    std::uint64_t launched_ = 0;
};

double per_operation_ns(std::int64_t begin_ns) {
    return static_cast<double>(monotonic_now_ns() - begin_ns) / static_cast<double>(operations);
}

double bare_ns(IterationWorkload& workload) {
    const std::int64_t begin_ns = monotonic_now_ns();
    for (std::size_t i = 0; i < operations; ++i) {
        workload.launch();
        benchmark::ClobberMemory();
    }
    return per_operation_ns(begin_ns);
}

double clock_read_ns() {
    const std::int64_t begin_ns = monotonic_now_ns();
    for (std::size_t i = 0; i < operations; ++i)
        benchmark::DoNotOptimize(monotonic_now_ns());
    return per_operation_ns(begin_ns);
}

/// The Runner's own loop; its part outside the loop is below 0.1 ns per operation.
double sampled_ns(IterationWorkload& workload, SampleBuffer& samples) {
    LoneTeam team;
    Progress progress;
    Runner runner(team, progress, monotonic_clock, {.check = CheckMode::off, .warmup = 0});
    const auto rule = make_fixed_rule(operations);
    runner.run(Case("case", {}), workload, *rule, samples);
    const auto start = samples.start_ns();
    const auto last = start.size() - 1;
    return static_cast<double>(start[last] - start[0]) / static_cast<double>(last);
}

void BM_sample(benchmark::State& state) {
    TinyWorkload workload;
    SampleBuffer samples;
    constexpr double none = std::numeric_limits<double>::max();
    double sampled = none;
    double bare = none;
    double clock = none;
    // The least of many interleaved rounds: other processes only ever add time to a loop of fixed
    // work.
    for ([[maybe_unused]] auto _ : state) {
        sampled = std::min(sampled, sampled_ns(workload, samples));
        bare = std::min(bare, bare_ns(workload));
        clock = std::min(clock, clock_read_ns());
    }
    state.counters["sample_ns"] = sampled;
    state.counters["bare_operation_ns"] = bare;
    state.counters["clock_read_ns"] = clock;
    state.counters["own_ns"] = sampled - bare - 2 * clock;
}
BENCHMARK(BM_sample)->Unit(benchmark::kMillisecond)->MinTime(2);

void BM_clock_read(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state)
        benchmark::DoNotOptimize(monotonic_now_ns());
}
BENCHMARK(BM_clock_read);

}  // namespace
}  // namespace railgauge
