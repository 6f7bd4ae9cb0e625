// SPDX-License-Identifier: Apache-2.0
// What this machine's memory can do: no collective on host memory beats it. Copy moves 2 bytes per
// byte copied, triad (a = b + s c) 3 words per word; bytes_per_second counts them as STREAM does,
// without write allocation.
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

namespace railgauge {
namespace {

void BM_host_copy(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const std::vector<char> source(bytes, 1);
    std::vector<char> destination(bytes);
    for ([[maybe_unused]] auto _ : state) {
        std::memcpy(destination.data(), source.data(), bytes);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * 2);
}
BENCHMARK(BM_host_copy)->RangeMultiplier(16)->Range(4 << 10, 64 << 20);

void BM_host_triad(benchmark::State& state) {
    const auto words = static_cast<std::size_t>(state.range(0)) / sizeof(double);
    std::vector<double> a(words);
    const std::vector<double> b(words, 1);
    const std::vector<double> c(words, 2);
    const auto scale = static_cast<double>(state.range(0));  // unknown to the compiler
    for ([[maybe_unused]] auto _ : state) {
        for (std::size_t i = 0; i < words; ++i)
            a[i] = b[i] + scale * c[i];
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * 3);
}
BENCHMARK(BM_host_triad)->RangeMultiplier(16)->Range(4 << 10, 64 << 20);

}  // namespace
}  // namespace railgauge
