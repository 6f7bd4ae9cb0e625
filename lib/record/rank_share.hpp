// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/case.hpp"
#include "measure/sample.hpp"

namespace railgauge {

/// Some of the columns that are not constant, by name; every one when no names are given.
struct ColumnSet {
    std::optional<std::vector<std::string>> names;

    bool holds(const SampleColumn& column) const;
};

/// What a rank brings to a case, so that rank 0 knows all sizes before any data. It travels as it
/// lies in memory.
///
/// The data follow in blocks of at most about `block_cells` cells, each of
///
///     status                    whole_status, or failed_status when samples could not be read
///     constants                 first block, ranks with rows: the values of the constant columns
///     observations              first block
///     rows of column 0, 1, ...  this block's rows of each column that is sent
struct RankShare {
    enum class State : std::int32_t { no_samples, samples, failed };

    static constexpr std::size_t status_cells = 1;
    static constexpr Cell whole_status = 0;
    static constexpr Cell failed_status = 1;

    std::uint64_t rows = 0;
    std::uint64_t block_cells = 0;
    std::uint64_t observation_cells = 0;
    CheckTally check{};
    std::uint64_t columns_hash = 0;  ///< of names, units and types, not of constant values
    std::int32_t constant_columns = 0;
    std::int32_t sent_columns = 0;
    std::int32_t group = -1;
    State state = State::no_samples;

    /// Describes `samples`, of which the columns `sent` travel; null = the case has none here.
    void describe(const SampleSource* samples, const ColumnSet& sent = {});

    /// Blocks that this rank sends; none when it failed.
    std::uint64_t blocks() const;

    std::uint64_t first_row(std::uint64_t block) const { return block * rows_per_block(); }
    std::uint64_t rows_of(std::uint64_t block) const;
    std::size_t constants_of(std::uint64_t block) const;
    std::size_t observations_of(std::uint64_t block) const;

    /// All cells of a block.
    std::size_t cells_of(std::uint64_t block) const;

  private:
    std::uint64_t rows_per_block() const;
};

/// Copies rows from `first` on as they are stored: start_ns moved by `shift_ns`, from this rank's
/// clock to the common clock.
void copy_rows(const SampleSource& samples, std::size_t column, std::uint64_t first,
               std::span<Cell> out, std::int64_t shift_ns);

/// Fills the blocks of a rank's share of a case.
class BlockSender {
  public:
    /// @param samples null = none
    /// @param shift_ns added to start_ns: from this rank's clock to the common clock
    /// @param sent as the share was described
    BlockSender(const RankShare& share, const SampleSource* samples,
                std::span<const Cell> observations, std::int64_t shift_ns, ColumnSet sent = {})
        : share_(share),
          samples_(samples),
          observations_(observations),
          shift_ns_(shift_ns),
          sent_(std::move(sent)) {}

    /// @param out share.cells_of(block) cells; their status says "failed" until all are filled
    /// @throws whatever reading the samples throws
    void fill(std::uint64_t block, std::span<Cell> out) const;

  private:
    void fill_rows(std::uint64_t block, std::span<Cell> out) const;

    const RankShare& share_;
    const SampleSource* samples_;
    std::span<const Cell> observations_;
    std::int64_t shift_ns_;
    ColumnSet sent_;
};

}  // namespace railgauge
