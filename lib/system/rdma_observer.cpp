// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include <sys/resource.h>

#include "measure/clock.hpp"
#include "system/observers.hpp"
#include "system/rdma_counters.hpp"

namespace railgauge {
namespace {

/// Files that may stay open: a quarter of what the process may have, so that MPI's connections
/// keep the rest.
std::size_t files_to_keep() {
    constexpr rlim_t most = 4096;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    return std::min(limit.rlim_cur / 4, most);
}

class RdmaObserver : public CaseObserver {
  public:
    explicit RdmaObserver(const std::string& class_folder)
        : files_(class_folder, files_to_keep()) {}

    void before() override {
        before_ = files_.read();
        read_ns_ = monotonic_now_ns();
    }

    void after(Observations& observations) override {
        outlive_what_was_read();
        for (CounterRow& row : join_counters(before_, files_.read(), rdma_counter_bits))
            observations.counters.push_back(std::move(row));
    }

  private:
    /// Until `lifespan` is over a driver repeats what before() has read, and a short case would
    /// seem to have moved nothing. The kernel counts that time in ticks of up to 10 ms.
    void outlive_what_was_read() const {
        if (files_.lifespan_ms() == 0) return;
        constexpr std::int64_t tick_ms = 10;
        constexpr std::int64_t most_ms = 100;
        const std::int64_t wait_ms = std::min(files_.lifespan_ms() + tick_ms, most_ms);
        const std::int64_t left_ns = read_ns_ + wait_ms * 1'000'000 - monotonic_now_ns();
        if (left_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left_ns));
    }

    RdmaCounterFiles files_;
    std::vector<CounterReading> before_;
    std::int64_t read_ns_ = 0;
};

}  // namespace

std::unique_ptr<CaseObserver> make_rdma_observer(const std::string& class_folder) {
    return std::make_unique<RdmaObserver>(class_folder);
}

}  // namespace railgauge
