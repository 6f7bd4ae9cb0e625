// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/sample.hpp"

namespace railgauge {

/// What a rank brings to a case; exchanged before its data.
struct RankManifest {
    enum class State : std::int32_t { no_samples, samples, failed };

    std::uint64_t rows = 0;
    std::uint64_t observation_cells = 0;
    std::uint64_t columns_hash = 0;  ///< of names, units and types, not of constant values
    std::int32_t constant_columns = 0;
    std::int32_t varying_columns = 0;
    std::int32_t group = -1;
    State state = State::no_samples;

    /// Describes `samples`; null = the case has none here.
    void describe(const SampleSource* samples);
};

/// Says what each rank sends in each block of a case, the same on every rank.
///
/// A case is gathered in blocks of about `most_cells` cells over all ranks, so that a long case
/// needs no more memory on rank 0 than a short one. A rank sends, in cells of eight bytes:
///
///     status                    0, or 1 when this rank could not read its samples
///     constants                 first block, ranks with rows: the values of the constant columns
///     observations              first block
///     rows of column 0, 1, ...  this block's rows of each column that is not constant
class BlockPlan {
  public:
    static constexpr std::size_t status_cells = 1;
    static constexpr Cell whole_status = 0;
    static constexpr Cell failed_status = 1;

    /// @throws AgreedError when ranks disagree about the columns, or the first block exceeds what
    ///         MPI can gather at once; every rank finds the same
    BlockPlan(std::vector<RankManifest> ranks, std::size_t most_cells);

    int ranks() const noexcept { return static_cast<int>(ranks_.size()); }
    const RankManifest& manifest(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    std::uint64_t blocks() const noexcept { return blocks_; }

    /// Whether the case has samples, even if of no rows; false for one that failed.
    bool has_samples() const noexcept;

    /// First sample of each rank in the columns of the case, and behind them their total.
    const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }

    /// First row of a block, on every rank, and the rank's number of rows in it.
    std::uint64_t first_row(std::uint64_t block) const noexcept { return block * block_rows_; }
    std::uint64_t rows(int rank, std::uint64_t block) const;

    std::size_t constant_cells(int rank, std::uint64_t block) const;
    std::size_t observation_cells(int rank, std::uint64_t block) const;

    /// All that a rank sends in a block, and that all ranks do.
    std::size_t cells(int rank, std::uint64_t block) const;
    std::size_t block_cells(std::uint64_t block) const;

  private:
    void require_equal_columns() const;
    void divide(std::size_t most_cells);

    std::vector<RankManifest> ranks_;
    std::vector<std::uint64_t> offsets_;
    std::uint64_t block_rows_ = 1;
    std::uint64_t blocks_ = 1;
};

}  // namespace railgauge
