// SPDX-License-Identifier: Apache-2.0
// One step of each stop rule: what a rank does between two blocks beside the agreement.
#include <vector>

#include <benchmark/benchmark.h>

#include "measure/stop_rule.hpp"

namespace railgauge {
namespace {

void step(benchmark::State& state, StopRule& rule) {
    std::vector<Cell> cells(static_cast<std::size_t>(state.range(0)));
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = 1'000 + i * 7919 % 500;
    rule.begin();
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(rule.next(rule.observe({cells, 1'000'000})));
    }
}

void BM_time_rule_step(benchmark::State& state) {
    step(state, *make_time_rule(1'000'000'000'000, {.most_samples = 1'000'000'000}));
}
BENCHMARK(BM_time_rule_step)->Arg(100)->Arg(10'000);

void BM_width_rule_step(benchmark::State& state) {
    step(state, *make_width_rule(1e-9, {.most_samples = 1'000'000'000}));
}
BENCHMARK(BM_width_rule_step)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace railgauge
