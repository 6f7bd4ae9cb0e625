// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/team.hpp"

namespace railgauge {

/// A job of one rank, without MPI.
class LoneTeam : public Team {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void barrier() override {}
    double max(double value) override { return value; }
    std::int64_t max(std::int64_t value) override { return value; }
    CheckTally agree(const std::optional<Failure>& failure, CheckTally tally) override {
        if (failure) throw AgreedError(failure->code, failure->text);
        return tally;
    }
};

}  // namespace railgauge
