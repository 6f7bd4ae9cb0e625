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

/// @param ns a number or an optional one
template <class Nanoseconds>
CLI::Option* add_duration(CLI::App& app, const std::string& name, Nanoseconds& ns,
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

/// An option that was given without what it belongs to would be ignored in silence.
void require_use(bool given, bool is_used, const char* option, const char* needed) {
    if (!given || is_used) return;
    throw Error(ExitCode::usage, fmt::format("{} has no use here", option),
                fmt::format("it belongs to {}", needed),
                fmt::format("add {} or leave it out", needed));
}

}  // namespace

void MeasureOptions::add_to(CLI::App& app) {
    auto& group = *app.add_option_group("Measuring");
    group.add_option("-n,--iterations", iterations_, "Exactly this many samples of each case")
        ->check(count_from(1));
    group.add_option("-w,--warmup", warmup_, "Operations before the timed ones")
        ->capture_default_str()
        ->check(count_from(0));
    add_manner(group);
    add_stop(group);
    group.add_option("--verify", verify_, "Check every element before and after the timed loop")
        ->capture_default_str()
        ->check(CLI::IsMember({"on", "off"}));
}

void MeasureOptions::add_manner(CLI::App& group) {
    group.add_option("--mode", mode_, "One operation per sample, or --batch of them")
        ->capture_default_str()
        ->check(CLI::IsMember({"per-iteration", "batched"}));
    group.add_option("--batch", batch_, "Operations per sample of the batched mode")
        ->default_str(fmt::format("{}", batch()))
        ->check(count_from(1));
    group
        .add_option(
            "--start", start_,
            "Operations follow each other freely, start at agreed times, or after a barrier")
        ->capture_default_str()
        ->check(CLI::IsMember({"free", "window", "barrier"}));
    add_duration(group, "--window-period", window_period_ns_,
                 "Distance of the agreed times of --start window", "twice the warm-up's time");
}

void MeasureOptions::add_stop(CLI::App& group) {
    const StopLimits limits;
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
        ->default_str(fmt::format("{:g}", width_percent()))
        ->check(CLI::Range(0.01, 100.0).description(""));
    group.add_option("--max-samples", max_samples_, "Most samples of --stop time and width")
        ->default_str(fmt::format("{}", limits.most_samples))
        ->check(count_from(1));
    add_duration(group, "--max-time", max_time_ns_, "Most time of --stop time and width", "5s");
}

void MeasureOptions::validate() const {
    if (stop_ == "fixed" && iterations_ == 0) {
        throw Error(ExitCode::usage, "--stop fixed has no number", "--iterations is missing",
                    "add --iterations N");
    }
    if (width_percent_ && std::isnan(*width_percent_)) {
        throw Error(ExitCode::usage, "--width nan is no width", "nothing is narrower than it",
                    "give a number of percent such as 2");
    }
    const std::string stop = stop_kind();
    if (iterations_ > 0 && stop != "fixed") {
        throw Error(ExitCode::usage, fmt::format("--iterations contradicts --stop {}", stop_),
                    "--iterations is an exact number", "give one of them");
    }
    require_use(batch_.has_value(), mode_ == "batched", "--batch", "--mode batched");
    require_use(window_period_ns_.has_value(), start_ == "window", "--window-period",
                "--start window");
    require_use(time_ns_.has_value(), stop == "time", "--time", "--stop time");
    require_use(width_percent_.has_value(), stop == "width", "--width", "--stop width");
    require_use(max_samples_.has_value(), stop != "fixed", "--max-samples", "--stop time or width");
    require_use(max_time_ns_.has_value(), stop != "fixed", "--max-time", "--stop time or width");
    if (start_ == "window" && warmup_ == 0 && !window_period_ns_) {
        throw Error(ExitCode::usage, "--start window has no period",
                    "it is taken from the warm-up, and --warmup 0 leaves none",
                    "add --window-period or a warm-up");
    }
}

RunnerOptions MeasureOptions::runner_options() const {
    RunnerOptions options;
    options.start = parse_start(start_);
    options.check = verify_ == "on" ? CheckMode::on : CheckMode::off;
    options.warmup = warmup_;
    options.ops_per_sample = mode_ == "batched" ? batch() : 1;
    options.window_period_ns = window_period_ns_.value_or(0);
    return options;
}

StopLimits MeasureOptions::limits_of_stop() const {
    StopLimits limits;
    limits.most_samples = max_samples_.value_or(limits.most_samples);
    limits.most_ns = max_time_ns_.value_or(limits.most_ns);
    return limits;
}

std::unique_ptr<StopRule> MeasureOptions::make_stop_rule() const {
    const std::string stop = stop_kind();
    if (stop == "fixed") return make_fixed_rule(iterations_);
    if (stop == "width") return make_width_rule(width_percent() / 100, limits_of_stop());
    return make_time_rule(time_ns(), limits_of_stop());
}

std::string MeasureOptions::stop_kind() const {
    if (!stop_.empty()) return stop_;
    return iterations_ > 0 ? "fixed" : "time";
}

std::string MeasureOptions::stop_text() const {
    const std::string stop = stop_kind();
    if (stop == "fixed") return fmt::format("fixed {}", iterations_);
    if (stop == "width") return fmt::format("width {:g} %", width_percent());
    return fmt::format("time {:g} s", static_cast<double>(time_ns()) / ns_per_s);
}

std::string MeasureOptions::limits() const {
    const StopLimits limits = limits_of_stop();
    return fmt::format("{} {} {} {}", batch(), limits.most_samples, limits.most_ns,
                       window_period_ns_.value_or(0));
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
    group
        .add_option_function<std::string>(
            "--writer",
            [this](const std::string& text) {
                writer = text == "parallel" ? Writer::parallel : Writer::gather;
            },
            "Samples are written by rank 0, which gathers them, or by all ranks to a file system "
            "that they share")
        ->check(CLI::IsMember({"gather", "parallel"}))
        ->default_str("gather");
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
    std::error_code ignored;  // shows when it is written
    if (!out.empty() && (!out.has_filename() || std::filesystem::is_directory(out, ignored))) {
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
