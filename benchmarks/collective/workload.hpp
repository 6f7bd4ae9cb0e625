// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collective/communicator_workload.hpp"
#include "collective/groups.hpp"
#include "collective/pattern.hpp"
#include "collective/verification.hpp"
#include "collectives/collectives.hpp"
#include "measure/workload.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {

/// A rank's place in the groups of a job.
struct GroupPlace {
    int number = 0;  ///< of its group; -1 = in none
    int ranks = 0;   ///< of every group
};

/// One collective, or some issued as one, at a time. Cases share one allocation for each kind of
/// buffer, large enough for the largest of them.
class CollectiveWorkload : public IterationWorkload {
  public:
    struct Setting {
        GroupPlace place;
        LaunchManner manner;
        MemoryShare share;
        Weights weights;  ///< of alltoallv; may be empty when the plan has none
    };

    /// @param plan all cases; those that need more than the share are skipped when their turn comes
    CollectiveWorkload(std::unique_ptr<Collectives> collectives,
                       std::unique_ptr<MemorySpace> memory, const std::vector<Case>& plan,
                       Setting setting);

    ~CollectiveWorkload() override;

    void set_sign_of_life(const std::function<void()>& alive) override { alive_ = alive; }
    IterationWorkload& serving(const Case& c) override;
    void prepare(const Case& c) override;
    int group() const override { return is_active_ ? setting_.place.number : -1; }
    Traffic traffic() const override;
    std::uint64_t ops_per_launch() const override;

    void launch() override { collectives_->launch(); }
    void complete() override { collectives_->complete(); }
    CheckTally check(std::uint64_t round) override;

    /// device_ns, where the library has a clock of its own.
    std::vector<SampleColumn> extra_columns() const override;
    void extra_cells(std::size_t column, std::span<Cell> cells) const override;
    void reserve(std::size_t samples) override { collectives_->reserve_device_times(samples); }
    std::size_t longest_block() const override { return collectives_->longest_block(); }
    void end_block(std::size_t samples) override { collectives_->collect_device_times(samples); }

    LibraryChoice library_choice() const override { return choice_; }

    /// As prepared last, with their buffers.
    std::span<const CollectiveCall> calls() const { return calls_; }
    void close() override;

  private:
    Member member() const;
    std::size_t largest_needed_bytes(const std::vector<Case>& plan) const;
    std::size_t needed_bytes(const CollectiveCall& call) const;
    std::string obstacle(const CollectiveCall& call) const;
    void require_possible(const CollectiveCall& call) const;
    void set_counts(CollectiveCall& call) const;
    CollectiveCall with_buffers(CollectiveCall call, std::size_t index) const;

    std::unique_ptr<Collectives> collectives_;
    std::unique_ptr<MemorySpace> memory_;
    std::unique_ptr<PatternEngine> engine_;
    Setting setting_;
    std::size_t largest_bytes_;
    Buffer buffer_;
    std::optional<BufferKind> kind_;
    std::function<void()> alive_ = [] {};
    bool is_active_ = false;
    std::vector<CollectiveCall> calls_;
    std::optional<Pattern> pattern_;
    LibraryChoice choice_;
    CommunicatorWorkload communicators_;
};

}  // namespace railgauge
