// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/pulse_watch.hpp"

#include <pthread.h>

namespace railgauge::board {
namespace {

using std::chrono::nanoseconds;

std::optional<nanoseconds> read_clock(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) return std::nullopt;  // the thread has ended
    return std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
}

}  // namespace

PulseWatch::PulseWatch(const Progress& progress, Instant now)
    : progress_(progress), pulse_(progress.pulse()), changed_(now), cpu_sampled_(now) {
    has_cpu_clock_ = ::pthread_getcpuclockid(::pthread_self(), &cpu_clock_) == 0;
    if (has_cpu_clock_) cpu_before_ = read_clock(cpu_clock_).value_or(nanoseconds{0});
}

Frame PulseWatch::sample(Instant now) {
    const std::uint64_t pulse = progress_.pulse();
    if (pulse != pulse_) changed_ = now;
    pulse_ = pulse;
    sample_cpu(now);
    Frame frame;
    frame.at = progress_.snapshot();
    frame.pulse = pulse;
    frame.idle = std::chrono::duration_cast<milliseconds>(now - changed_);
    frame.cpu_ms = cpu_ms_;
    return frame;
}

void PulseWatch::sample_cpu(Instant now) {
    constexpr milliseconds least{500};  // shorter stretches say little on a shared core
    const nanoseconds wall = now - cpu_sampled_;
    if (!has_cpu_clock_ || wall < least) return;
    const auto cpu = read_clock(cpu_clock_);
    if (!cpu) return;
    cpu_ms_ = static_cast<std::uint32_t>((*cpu - cpu_before_) * 1000 / wall);
    cpu_before_ = *cpu;
    cpu_sampled_ = now;
}

}  // namespace railgauge::board
