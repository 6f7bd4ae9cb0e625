// SPDX-License-Identifier: Apache-2.0
#include "record/case_gather.hpp"

#include <algorithm>

#include "mpi/check.hpp"

namespace railgauge {
namespace {

constexpr const char* gathering = "gathering a case";
constexpr int block_tag = 7;

std::size_t total_cells(std::span<const RankShare> shares) {
    std::size_t total = 0;
    for (const RankShare& share : shares) {
        for (std::uint64_t block = 0; block < share.blocks(); ++block) {
            total += share.cells_of(block);
        }
    }
    return total;
}

}  // namespace

std::vector<RankShare> CaseGather::gather_shares(const RankShare& own, int rank, int ranks) const {
    std::vector<RankShare> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
    check_mpi(MPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm_),
              gathering);
    return all;
}

void CaseGather::send(const RankShare& own, const Fill& fill) {
    for (std::uint64_t block = 0; block < own.blocks(); ++block) {
        const std::size_t cells = own.cells_of(block);
        hold(cells);
        fill(block, std::span(buffer_).first(cells));
        check_mpi(
            MPI_Send(buffer_.data(), static_cast<int>(cells), MPI_UINT64_T, 0, block_tag, comm_),
            gathering);
        progress_.tick();
    }
}

void CaseGather::receive(std::span<const RankShare> shares, const Fill& fill_own,
                         const Receiver& receiver) {
    hold(std::min(total_cells(shares), block_cells_));
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        for (std::uint64_t block = 0; block < shares[rank].blocks(); ++block) {
            const std::span<Cell> cells = place(shares[rank].cells_of(block), receiver);
            pending_.push_back({static_cast<int>(rank), block, cells});
            if (rank == 0) {
                fill_own(block, cells);
            } else {
                check_mpi(
                    MPI_Irecv(cells.data(), static_cast<int>(cells.size()), MPI_UINT64_T,
                              static_cast<int>(rank), block_tag, comm_, &requests_.emplace_back()),
                    gathering);
            }
        }
    }
    hand_over(receiver);
}

void CaseGather::hold(std::size_t cells) {
    if (buffer_.size() < cells) buffer_.resize(cells);
}

/// Room for a block in the buffer, which moves only when nothing is on its way into it.
std::span<Cell> CaseGather::place(std::size_t cells, const Receiver& receiver) {
    if (used_ + cells > buffer_.size()) hand_over(receiver);
    hold(cells);
    const std::span<Cell> place = std::span(buffer_).subspan(used_, cells);
    used_ += cells;
    return place;
}

void CaseGather::hand_over(const Receiver& receiver) {
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        gathering);
    requests_.clear();
    for (const Pending& block : pending_)
        receiver.take(block.rank, block.block, block.cells);
    receiver.flush();
    pending_.clear();
    used_ = 0;
    progress_.tick();
}

}  // namespace railgauge
