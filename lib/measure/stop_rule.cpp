// SPDX-License-Identifier: Apache-2.0
#include "measure/stop_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/units.hpp"

namespace railgauge {
namespace {

constexpr std::size_t probe_samples = 4;
constexpr std::size_t fewest_blocks = 8;
constexpr std::size_t most_blocks = 32;

// What a rank says when its view is no width; all above any width, and the largest wins the
// agreement.
constexpr double too_few_blocks = 1e100;
constexpr double out_of_time = 1e200;

class FixedRule : public StopRule {
  public:
    explicit FixedRule(std::size_t samples) : samples_(samples) {}
    std::size_t capacity() const override { return samples_; }
    std::size_t begin() override { return samples_; }
    double observe(const Block&) override { return 0; }
    std::size_t next(double) override { return 0; }

  private:
    std::size_t samples_;
};

class TimeRule : public StopRule {
  public:
    TimeRule(std::int64_t ns, StopLimits limits) : ns_(static_cast<double>(ns)), limits_(limits) {}

    std::size_t capacity() const override { return limits_.most_samples; }

    std::size_t begin() override {
        remark_.clear();
        taken_ = std::min(probe_samples, capacity());
        return taken_;
    }

    double observe(const Block& block) override {
        return static_cast<double>(block.since_start_ns);
    }

    std::size_t next(double elapsed_ns) override {
        const double per_sample_ns = std::max(elapsed_ns, 1.0) / static_cast<double>(taken_);
        const auto fit = [&](double ns) { return static_cast<std::size_t>(ns / per_sample_ns); };
        const std::size_t wanted = std::max(limits_.least_samples, fit(ns_));
        // Growing at most eightfold lets later blocks correct an estimate from cold first samples.
        const std::size_t target =
            std::min({wanted, fit(static_cast<double>(limits_.most_ns)), capacity(), taken_ * 8});
        std::size_t more = target > taken_ ? target - taken_ : 0;
        // A block cannot be broken off, and the estimate is of a calmer time when others take the
        // cores.
        if (taken_ >= limits_.least_samples)
            more = std::min(more, std::max<std::size_t>(1, fit(ns_ / 4)));
        if (more == 0 && taken_ < limits_.least_samples) {
            remark_ = fmt::format("only {} samples fit into {:.3g} s", taken_,
                                  static_cast<double>(limits_.most_ns) / ns_per_s);
        }
        taken_ += more;
        return more;
    }

    std::string remark() const override { return remark_; }

  private:
    double ns_;
    StopLimits limits_;
    std::size_t taken_ = 0;
    std::string remark_;
};

/// 97.5 % quantile of Student's t; beyond the table the normal quantile is within 2.5 %.
double student_t(std::size_t degrees) {
    constexpr std::array<double, 31> table{0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                           2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                           2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                           2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    return degrees < table.size() ? table[degrees] : 2.0;
}

/// Half width of the 95 % confidence interval of the mean of `values`, relative to that mean.
double relative_half_width(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    const double squares =
        std::accumulate(values.begin(), values.end(), 0.0,
                        [mean](double sum, double v) { return sum + (v - mean) * (v - mean); });
    return student_t(values.size() - 1) * std::sqrt(squares / (n - 1) / n) / mean;
}

class WidthRule : public StopRule {
  public:
    WidthRule(double relative, StopLimits limits) : relative_(relative), limits_(limits) {
        means_.reserve(most_blocks);
    }

    std::size_t capacity() const override { return limits_.most_samples; }

    std::size_t begin() override {
        remark_.clear();
        means_.clear();
        blocks_ = 0;
        block_samples_ =
            std::clamp<std::size_t>(limits_.least_samples / fewest_blocks, 1, capacity());
        return block_samples_;
    }

    double observe(const Block& block) override {
        const double sum = std::accumulate(block.elapsed_ns.begin(), block.elapsed_ns.end(), 0.0);
        means_.push_back(sum / static_cast<double>(block.elapsed_ns.size()));
        if (block.since_start_ns > limits_.most_ns) return out_of_time;
        return means_.size() < fewest_blocks ? too_few_blocks : relative_half_width(means_);
    }

    std::size_t next(double agreed) override {
        if (agreed <= relative_) return 0;
        if (agreed >= out_of_time) {
            remark_ = fmt::format("interval still wider than +-{:.3g} % after {:.3g} s",
                                  relative_ * 100, static_cast<double>(limits_.most_ns) / ns_per_s);
            return 0;
        }
        if (++blocks_ == most_blocks) merge_pairs();
        return block_samples_;
    }

    void exhausted() override {
        remark_ = fmt::format("{} samples were taken before the interval was known to +-{:.3g} %",
                              capacity(), relative_ * 100);
    }

    std::string remark() const override { return remark_; }

  private:
    /// Twice as long blocks, half as many: longer blocks are less correlated, and agreements get
    /// rarer.
    void merge_pairs() {
        const std::size_t pairs = means_.size() / 2;
        for (std::size_t i = 0; i < pairs; ++i)
            means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2;
        means_.resize(pairs);
        blocks_ /= 2;
        block_samples_ *= 2;
    }

    double relative_;
    StopLimits limits_;
    std::size_t block_samples_ = 0;
    std::size_t blocks_ = 0;  // also counted on ranks that are idle and observe nothing
    std::vector<double> means_;
    std::string remark_;
};

}  // namespace

std::unique_ptr<StopRule> make_fixed_rule(std::size_t samples) {
    return std::make_unique<FixedRule>(samples);
}

std::unique_ptr<StopRule> make_time_rule(std::int64_t ns, StopLimits limits) {
    return std::make_unique<TimeRule>(ns, limits);
}

std::unique_ptr<StopRule> make_width_rule(double relative, StopLimits limits) {
    return std::make_unique<WidthRule>(relative, limits);
}

}  // namespace railgauge
