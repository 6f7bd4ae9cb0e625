// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collective/pattern.hpp"
#include "collective/verification.hpp"
#include "collectives/collectives.hpp"
#include "measure/workload.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {

/// One collective at a time. All cases share one allocation, large enough for the largest of them.
class CollectiveWorkload : public IterationWorkload {
  public:
    /// @param plan all cases; those that need more than the share are skipped when their turn comes
    /// @param weights of alltoallv; may be empty when the plan has none
    CollectiveWorkload(std::unique_ptr<Collectives> collectives,
                       std::unique_ptr<MemorySpace> memory, const std::vector<Case>& plan,
                       MemoryShare share, Weights weights);

    void prepare(const Case& c) override;
    Traffic traffic() const override;
    void launch() override { collectives_->launch(); }
    void complete() override { collectives_->complete(); }
    CheckTally check(std::uint64_t round) override;
    void close() override { collectives_->close(); }

  private:
    Member member() const;
    std::size_t largest_needed_bytes(const std::vector<Case>& plan) const;
    void require_possible() const;
    void set_buffers();
    void set_counts();

    std::unique_ptr<Collectives> collectives_;
    std::unique_ptr<MemorySpace> memory_;
    MemoryShare share_;
    Weights weights_;
    Buffer buffer_;
    CollectiveCall call_{};
    std::optional<Pattern> pattern_;
};

}  // namespace railgauge
