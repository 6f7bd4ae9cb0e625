// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "measure/workload.hpp"

namespace railgauge {

/// What went wrong on one rank in a stage.
struct Failure {
    ExitCode code;
    std::string text;
};

/// The ranks of the job as the measuring core sees them: the seam that lets the Runner be tested
/// without MPI. Every method is collective.
class Team {
  public:
    virtual ~Team() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void barrier() = 0;
    virtual double max(double value) = 0;
    virtual std::int64_t max(std::int64_t value) = 0;

    /// Ends a stage: the tallies' sum when no rank failed; else every rank throws the failure of
    /// the lowest rank that failed, with its rank and host, as an AgreedError.
    virtual CheckTally agree(const std::optional<Failure>& failure, CheckTally tally) = 0;
};

/// Runs `stage`; an exception becomes its failure. std::logic_error passes: it is a bug; so does
/// StrandedError.
std::optional<Failure> attempt(const std::function<void()>& stage);

/// Runs `stage` on this rank and agrees: all ranks go on, or all throw the same AgreedError.
void agreed(Team& team, const std::function<void()>& stage);

}  // namespace railgauge
