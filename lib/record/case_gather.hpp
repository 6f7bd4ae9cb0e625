// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <mpi.h>

#include "measure/progress.hpp"
#include "measure/sample.hpp"
#include "record/rank_share.hpp"

namespace railgauge {

/// Brings the ranks' shares of a case to rank 0, at most `block_cells` cells at a time (more only
/// where one block is larger): a long case needs no more memory there than a short one.
///
/// Every rank sends all that its share says and rank 0 receives it all, whatever failed meanwhile:
/// otherwise one would wait for the other.
class CaseGather {
  public:
    CaseGather(MPI_Comm comm, Progress& progress, std::size_t block_cells)
        : comm_(comm), progress_(progress), block_cells_(block_cells) {}

    /// Collective. @return the shares of all ranks on rank 0; nothing elsewhere
    std::vector<RankShare> gather_shares(const RankShare& own, int rank, int ranks) const;

    /// Fills one of this rank's blocks.
    using Fill = std::function<void(std::uint64_t block, std::span<Cell> out)>;

    /// Not on rank 0: sends this rank's blocks.
    void send(const RankShare& own, const Fill& fill);

    struct Receiver {
        std::function<void(int rank, std::uint64_t block, std::span<const Cell>)> take;
        std::function<void()> flush;  ///< the cells taken so far are gone afterwards
    };

    /// On rank 0: its own blocks and those of all others, in order of ranks and blocks.
    void receive(std::span<const RankShare> shares, const Fill& fill_own, const Receiver& receiver);

  private:
    struct Pending {
        int rank;
        std::uint64_t block;
        std::span<Cell> cells;
    };

    void hold(std::size_t cells);
    std::span<Cell> place(std::size_t cells, const Receiver& receiver);
    void hand_over(const Receiver& receiver);

    MPI_Comm comm_;
    Progress& progress_;
    std::size_t block_cells_;
    std::vector<Cell> buffer_;
    std::size_t used_ = 0;
    std::vector<Pending> pending_;
    std::vector<MPI_Request> requests_;
};

}  // namespace railgauge
