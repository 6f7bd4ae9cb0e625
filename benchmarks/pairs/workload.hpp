// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "measure/workload.hpp"
#include "memory/memory_space.hpp"
#include "pairs/exchange.hpp"
#include "pairs/plan.hpp"
#include "pairs/served_client.hpp"
#include "pairs/slot_check.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// The column from which rates and round trips follow (docs/pairs.md).
inline constexpr const char* acknowledged_column = "acknowledged_ns";

/// A memory that cases are measured on, and the buffer that they share on it: large enough for the
/// largest of them.
struct PairsMemory {
    std::unique_ptr<MemorySpace> space;
    MemoryShare share;
    std::unique_ptr<RegisteredMemory> buffer;
};

/// One rank's part in all cases.
class PairsWorkload : public IterationWorkload {
  public:
    /// @param memories without their buffers, one for each memory of the plan's cases
    /// @param plan outlives the workload; cases that need more than the share are skipped when
    ///        their turn comes
    /// @param rail of this rank
    /// @param served the receiver outside the job, where cases of the plan need it
    PairsWorkload(std::unique_ptr<Transport> transport, std::vector<PairsMemory> memories,
                  const PairsPlan& plan, int rank, int rail,
                  std::optional<ServedClient> served = {});

    ~PairsWorkload() override;

    void prepare(const Case& c) override;
    int group() const override;
    Traffic traffic() const override;

    /// How the memory is reached, and what carries the messages, as far as the transport knows.
    LibraryChoice library_choice() const override;

    /// peer, rail and acknowledged_ns (docs/pairs.md).
    std::vector<SampleColumn> extra_columns() const override;
    void extra_cells(std::size_t column, std::span<Cell> cells) const override;
    void reserve(std::size_t samples) override;

    void launch() override {
        exchange_->launch();
        ++launches_;
    }
    void complete() override;
    CheckTally check(std::uint64_t round) override;
    void close() override;

  private:
    /// Who is at the other end in a case.
    enum class Other { nobody, rank, server };

    PairsMemory& memory_of(const Case& c);
    void require_fit(const PairCall& call) const;
    Other other_of(const Matching& matching) const;
    void connect();
    void disconnect();
    std::int64_t answers() const;

    std::unique_ptr<Transport> transport_;
    std::vector<PairsMemory> memories_;
    const PairsPlan& plan_;
    int rank_;
    int rail_;
    PairsMemory* memory_ = nullptr;  ///< of the case
    std::optional<ServedClient> served_;
    Other other_ = Other::nobody;
    int peer_ = -1;  ///< a rank
    PairCall call_{};
    Duty duty_ = Duty::send;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Exchange> exchange_;
    std::optional<SlotCheck> slots_;
    // Operations since the channel was made, without those of checks.
    std::int64_t launches_ = 0;
    std::int64_t completes_ = 0;
    /// Of the operations completed last, as many as samples can be taken; number n is at n modulo
    /// the size.
    std::vector<std::int64_t> acknowledged_ns_{-1};
    std::size_t completed_ = 0;
};

}  // namespace railgauge
