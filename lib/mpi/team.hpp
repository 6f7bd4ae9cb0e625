// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <mpi.h>

#include "measure/team.hpp"

namespace railgauge {

/// Team over a communicator. One allreduce per agreement; a failure costs a second exchange for its
/// text.
class MpiTeam : public Team {
  public:
    /// @param host of this rank, for messages
    MpiTeam(MPI_Comm comm, std::string host);

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void barrier() override;
    double max(double value) override;
    std::int64_t max(std::int64_t value) override;
    CheckTally agree(const std::optional<Failure>& failure, CheckTally tally) override;

  private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    std::string host_;
};

}  // namespace railgauge
