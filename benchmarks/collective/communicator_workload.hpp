// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collectives/collectives.hpp"
#include "measure/workload.hpp"

namespace railgauge {

/// The operation whose samples are lives of communicators, step by step: made, split, a buffer
/// registered, used once, ended.
class CommunicatorWorkload : public IterationWorkload {
  public:
    /// @param collectives outlives the workload
    /// @param group of this rank
    CommunicatorWorkload(Collectives& collectives, int group)
        : collectives_(collectives), group_(group) {}

    void prepare(const Case& /*c*/) override { count_ = 0; }
    int group() const override { return group_; }
    Traffic traffic() const override;

    void launch() override { lives_[count_++ % lives_.size()] = collectives_.live(); }
    CheckTally check(std::uint64_t /*round*/) override { return {}; }
    void reserve(std::size_t samples) override;

    /// init_ns, split_ns, register_ns, first_ns, finalize_ns, memory_bytes.
    std::vector<SampleColumn> extra_columns() const override;
    void extra_cells(std::size_t column, std::span<Cell> cells) const override;

  private:
    Collectives& collectives_;
    int group_;
    /// The last, as many as samples can be taken; number n is at n modulo the size.
    std::vector<CommunicatorLife> lives_{1};
    std::size_t count_ = 0;
};

}  // namespace railgauge
