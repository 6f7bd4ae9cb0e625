// SPDX-License-Identifier: Apache-2.0
#include "program/options.hpp"

#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "program/utc.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t most_samples = 1'000'000'000;

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& ns,
                          const std::string& help, const std::string& shown_default) {
    return app
        .add_option_function<std::string>(
            name, [&ns](const std::string& text) { ns = parse_duration_ns(text); }, help)
        ->type_name("DURATION")
        ->default_str(shown_default);
}

/// A number of samples or operations; the range is said when it is left, not in the help.
CLI::Validator count_from(std::uint64_t least) {
    CLI::Validator range = CLI::Range(least, most_samples);
    return range.description("");
}

StartMode parse_start(const std::string& text) {
    if (text == "window") return StartMode::window;
    return text == "barrier" ? StartMode::barrier : StartMode::free;
}

/// `text` with everything but letters, digits, '.', '_' and '-' replaced.
std::string file_name_of(std::string text) {
    for (char& c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
        if (!plain) c = '-';
    }
    return text;
}

}  // namespace

void MeasureOptions::add_to(CLI::App& app) {
    auto& group = *app.add_option_group("Measuring");
    group.add_option("-n,--iterations", iterations_, "Exactly this many samples of each case")
        ->check(count_from(1));
    group.add_option("-w,--warmup", warmup_, "Operations before the timed ones")
        ->capture_default_str()
        ->check(count_from(0));
    group.add_option("--mode", mode_, "One operation per sample, or --batch of them")
        ->capture_default_str()
        ->check(CLI::IsMember({"per-iteration", "batched"}));
    group.add_option("--batch", batch_, "Operations per sample of the batched mode")
        ->capture_default_str()
        ->check(count_from(1));
    group
        .add_option(
            "--start", start_,
            "Operations follow each other freely, start at agreed times, or after a barrier")
        ->capture_default_str()
        ->check(CLI::IsMember({"free", "window", "barrier"}));
    add_duration(group, "--window-period", window_period_ns_,
                 "Distance of the agreed times of --start window", "twice the warm-up's time");
    group
        .add_option(
            "--stop", stop_,
            "Samples are enough after --iterations, after --time, or when the mean is known "
            "to +- --width")
        ->check(CLI::IsMember({"fixed", "time", "width"}))
        ->default_str("time, or fixed with --iterations");
    add_duration(group, "--time", time_ns_, "Time to sample of --stop time", "200ms");
    group
        .add_option("--width", width_percent_,
                    "Half width in % of the mean's 95 % interval of --stop width")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 100.0).description(""));
    group.add_option("--max-samples", max_samples_, "Most samples of --stop time and width")
        ->capture_default_str()
        ->check(count_from(1));
    add_duration(group, "--max-time", max_time_ns_, "Most time of --stop time and width", "5s");
    group.add_option("--verify", verify_, "Check every element before and after the timed loop")
        ->capture_default_str()
        ->check(CLI::IsMember({"on", "off"}));
}

void MeasureOptions::validate() const {
    if (stop_ == "fixed" && iterations_ == 0) {
        throw Error(ExitCode::usage, "--stop fixed has no number", "--iterations is missing",
                    "add --iterations N");
    }
    if (std::isnan(width_percent_)) {
        throw Error(ExitCode::usage, "--width nan is no width", "nothing is narrower than it",
                    "give a number of percent such as 2");
    }
    if (iterations_ > 0 && !is_fixed()) {
        throw Error(ExitCode::usage, fmt::format("--iterations contradicts --stop {}", stop_),
                    "--iterations is an exact number", "give one of them");
    }
}

RunnerOptions MeasureOptions::runner_options() const {
    RunnerOptions options;
    options.start = parse_start(start_);
    options.check = verify_ == "on" ? CheckMode::on : CheckMode::off;
    options.warmup = warmup_;
    options.ops_per_sample = mode_ == "batched" ? batch_ : 1;
    options.window_period_ns = window_period_ns_;
    return options;
}

std::unique_ptr<StopRule> MeasureOptions::make_stop_rule() const {
    const StopLimits limits{.most_samples = max_samples_, .most_ns = max_time_ns_};
    if (is_fixed()) return make_fixed_rule(iterations_);
    if (stop_ == "width") return make_width_rule(width_percent_ / 100, limits);
    return make_time_rule(time_ns_, limits);
}

std::string MeasureOptions::stop_text() const {
    if (is_fixed()) return fmt::format("fixed {}", iterations_);
    if (stop_ == "width") return fmt::format("width {:g} %", width_percent_);
    return fmt::format("time {:g} s", static_cast<double>(time_ns_) / ns_per_s);
}

std::string MeasureOptions::limits() const {
    return fmt::format("{} {} {} {}", batch_, max_samples_, max_time_ns_, window_period_ns_);
}

void MeasureOptions::annotate(Case& c) const {
    c.annotate("mode", mode_);
    c.annotate("start", start_);
    c.annotate("stop", stop_text());
    c.annotate("warmup", static_cast<std::int64_t>(warmup_));
    c.annotate("verify", verify_);
}

void WindowOptions::add_to(CLI::App& app) {
    auto& group = *app.add_option_group("Measuring");
    add_duration(group, "--duration", duration_ns_, "Length of the measured window", "10s");
    add_duration(group, "--warmup-duration", warmup_ns_, "Load before the window, not sampled",
                 "1s");
}

void WindowOptions::annotate(Case& c) const {
    c.annotate("warmup_ns", warmup_ns_);
    c.annotate("duration_ns", duration_ns_);
}

void RunOptions::add_to(CLI::App& app) {
    auto& group = *app.add_option_group("Run");
    group.add_option("-o,--out", out, "Run file to write")
        ->default_str("results/<program>-<job>.h5");
    auto* const replace = group.add_flag("--overwrite", overwrite, "Replace an existing run");
    group.add_flag("--resume", resume, "Measure what an interrupted run of the same plan lacks")
        ->excludes(replace);
    group.add_option("--site", site, "Site file (TOML) on rank 0's node, kept with the run");
    group
        .add_option_function<std::string>(
            "--timeout",
            [this](const std::string& text) {
                timeout_ns = text == "off" ? 0 : parse_duration_ns(text);
            },
            "End the job when no rank got on for this long; off = wait for ever")
        ->type_name("DURATION")
        ->default_str("60s");
    group
        .add_option("--expect-nodes", expect_nodes, "Refuse to measure on another number of nodes")
        ->check(CLI::Range(1, 100'000).description(""));
    group
        .add_option("--expect-ranks-per-node", expect_ranks_per_node,
                    "Refuse to measure with another number of ranks on any node")
        ->check(CLI::Range(1, 100'000).description(""));
    group
        .add_option(
            "--control-interface", control_interface,
            "Network interface of the deadline board, off the measured rails; by default the "
            "site file's")
        ->envname("RAILGAUGE_CONTROL_INTERFACE");
}

void RunOptions::validate() const {
    if (!out.empty() && (!out.has_filename() || std::filesystem::is_directory(out))) {
        throw Error(ExitCode::usage, fmt::format("--out '{}' is a folder", out.string()),
                    "a run is written to a file", "name a file in it");
    }
}

ExistingRun RunOptions::existing() const {
    if (overwrite) return ExistingRun::overwrite;
    return resume ? ExistingRun::resume : ExistingRun::refuse;
}

std::filesystem::path default_out(const std::string& program) {
    const char* tag = std::getenv("RAILGAUGE_RUN_ID");
    if (tag == nullptr) tag = std::getenv("PMIX_NAMESPACE");
    const std::string name = tag != nullptr ? file_name_of(tag) : utc_compact();
    return fmt::format("results/{}-{}.h5", program, name);
}

}  // namespace railgauge
