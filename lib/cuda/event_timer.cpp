// SPDX-License-Identifier: Apache-2.0
#include "cuda/event_timer.hpp"

#include <cmath>

namespace railgauge {

EventTimer::EventTimer() {
    pairs_.reserve(block_samples);
    for (std::size_t i = 0; i < block_samples; ++i)
        pairs_.push_back({make_event(), make_event()});
}

void EventTimer::reserve(std::size_t samples) {
    times_ns_.clear();
    times_ns_.reserve(samples);
}

void EventTimer::collect(std::size_t samples) {
    const std::size_t first = next_ + block_samples - samples;
    for (std::size_t i = 0; i < samples; ++i) {
        const Pair& pair = pairs_[(first + i) % block_samples];
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, pair.begin.get(), pair.end.get()),
                   "reading the time between two CUDA events");
        times_ns_.push_back(static_cast<Cell>(std::llround(double{milliseconds} * 1e6)));
    }
}

}  // namespace railgauge
