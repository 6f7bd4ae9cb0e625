// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "measure/case.hpp"
#include "measure/runner.hpp"
#include "measure/stop_rule.hpp"
#include "record/recorder.hpp"

namespace CLI {
class App;
}

namespace railgauge {

/// How long and in which manner each case is measured: the options every iteration program shares.
class MeasureOptions {
  public:
    void add_to(CLI::App& app);

    /// @throws Error(usage) when options contradict each other
    void validate() const;

    RunnerOptions runner_options() const;
    std::unique_ptr<StopRule> make_stop_rule() const;

    /// Adds the columns `mode`, `start`, `stop`, `warmup` and `verify`.
    void annotate(Case& c) const;

    /// What else shapes the samples and has no column: a resumed run must not mix it.
    std::string limits() const;

  private:
    void add_manner(CLI::App& group);
    void add_stop(CLI::App& group);
    std::string stop_kind() const;
    std::string stop_text() const;
    std::uint64_t batch() const { return batch_.value_or(20); }
    std::int64_t time_ns() const { return time_ns_.value_or(200'000'000); }
    double width_percent() const { return width_percent_.value_or(2); }
    StopLimits limits_of_stop() const;

    std::uint64_t iterations_ = 0;  // 0 = the stop rule decides
    std::uint64_t warmup_ = 5;
    std::string mode_ = "per-iteration";
    std::string start_ = "free";
    std::string stop_;
    std::string verify_ = "on";

    // Empty = not given. Each has its use with one mode, start or stop only.
    std::optional<std::uint64_t> batch_;
    std::optional<std::int64_t> window_period_ns_;
    std::optional<std::int64_t> time_ns_;
    std::optional<double> width_percent_;
    std::optional<std::uint64_t> max_samples_;
    std::optional<std::int64_t> max_time_ns_;
};

/// The window of a window program.
class WindowOptions {
  public:
    void add_to(CLI::App& app);
    std::int64_t warmup_ns() const { return warmup_ns_; }
    std::int64_t duration_ns() const { return duration_ns_; }

    /// Adds the columns `warmup_ns` and `duration_ns`.
    void annotate(Case& c) const;

  private:
    std::int64_t warmup_ns_ = 1'000'000'000;
    std::int64_t duration_ns_ = 10'000'000'000;
};

/// Where the run goes and under which conditions it may happen.
struct RunOptions {
    void add_to(CLI::App& app);

    /// @throws Error(usage) when options contradict each other
    void validate() const;

    ExistingRun existing() const;

    std::filesystem::path out;  ///< empty until default_out() is asked
    bool overwrite = false;
    bool resume = false;
    Writer writer = Writer::gather;
    std::filesystem::path site;
    std::int64_t timeout_ns = 60'000'000'000;  ///< 0 = none
    int expect_nodes = 0;
    int expect_ranks_per_node = 0;
    std::string control_interface;
};

/// "results/<program>-<tag>.h5", the tag being the same on all ranks of a job: the launch script's,
/// else the launcher's job name, else the time.
std::filesystem::path default_out(const std::string& program);

}  // namespace railgauge
