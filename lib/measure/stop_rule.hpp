// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/sample.hpp"

namespace railgauge {

/// Samples just taken by this rank, between two agreements.
struct Block {
    std::span<const Cell> elapsed_ns;
    std::int64_t since_start_ns;  ///< from the first sample of the case
};

/// Decides when a case has enough samples. Samples are taken in blocks; between blocks the ranks
/// agree on the largest value of `observe`, so that all take the same decision.
class StopRule {
  public:
    virtual ~StopRule() = default;

    /// Never more samples than this, per rank.
    virtual std::size_t capacity() const = 0;

    /// Forgets the last case. @return samples of the first block, 1 .. capacity().
    virtual std::size_t begin() = 0;

    /// This rank's view of the block it just took.
    virtual double observe(const Block& block) = 0;

    /// @param agreed the largest `observe` of all ranks
    /// @return samples of the next block; 0 = enough
    virtual std::size_t next(double agreed) = 0;

    /// capacity() is reached, so next() is not asked any more.
    virtual void exhausted() {}

    /// Why it stopped, when that deserves a remark in the case's `reason`; else empty.
    virtual std::string remark() const { return {}; }
};

struct StopLimits {
    std::size_t least_samples = 20;
    std::size_t most_samples = 10'000;
    std::int64_t most_ns = 5'000'000'000;
};

/// Exactly `samples`.
std::unique_ptr<StopRule> make_fixed_rule(std::size_t samples);

/// As many samples as fit into `ns`, within the limits.
std::unique_ptr<StopRule> make_time_rule(std::int64_t ns, StopLimits limits);

/// Until the 95 % confidence interval of the mean, from block means, is narrower than +- `relative`
/// of it on every rank. Samples inside a launch are autocorrelated; means of blocks are nearly not.
std::unique_ptr<StopRule> make_width_rule(double relative, StopLimits limits);

}  // namespace railgauge
