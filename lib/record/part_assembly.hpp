// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "measure/sample.hpp"
#include "record/observation_cells.hpp"
#include "record/part_writer.hpp"
#include "record/rank_share.hpp"
#include "record/run_context.hpp"

namespace railgauge {

/// What rank 0 knows of a case before anything is gathered.
struct CaseFrame {
    int case_id = 0;
    std::string plan_id;
    Table case_row;
    std::vector<std::uint64_t> blocks;
    std::vector<SampleColumn> columns;  ///< constants may be another rank's: they are gathered
    ColumnSet sent{};                   ///< as the shares were described
    ColumnSet heard{};                  ///< what the listener hears of, all of it sent
    Writer writer = Writer::gather;     ///< parallel: the rows are only heard here
};

/// For every gathered stretch of a column that is heard, while it passes by.
using GatherListener = std::function<void(int rank, std::size_t column, std::span<const Cell>)>;

/// Rank 0's side of a case: takes the ranks' blocks apart and writes the part. No MPI.
class PartAssembly {
  public:
    /// @throws Error when the ranks' columns differ
    PartAssembly(std::span<const RankShare> shares, const std::filesystem::path& path,
                 CaseFrame frame, GatherListener listener);

    /// Takes a rank's block, to be written by the next flush(); `cells` stay until then. Blocks
    /// come in the order of ranks, and of rows within a rank.
    void take(int rank, std::uint64_t block, std::span<const Cell> cells);

    /// Writes what was taken.
    void flush();

    /// Whether every rank could read its samples so far.
    bool is_whole() const noexcept { return whole_; }

    /// For a parallel writer, when the part is whole: closes it for the ranks to write their rows
    /// into the file returned.
    const std::filesystem::path& hand_over();

    /// Gives the part its name; to be called when it is whole.
    void commit();

  private:
    void add_tables();
    Table checks() const;
    const RankShare& share(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }
    void require_equal_columns() const;
    SampleShape shape() const;
    void take_constants(int rank, std::span<const Cell> cells);
    void take_rows(int rank, std::uint64_t block, std::span<const Cell> cells);

    std::span<const RankShare> shares_;
    CaseFrame frame_;
    GatherListener listener_;
    PartWriter writer_;
    bool has_samples_;
    bool whole_ = true;
    int constants_from_ = -1;                   ///< first rank with rows
    std::vector<std::uint64_t> offsets_;        ///< first row of each rank, and the total
    std::vector<std::vector<RowRange>> taken_;  ///< by column
    ObservationTables observations_;
};

}  // namespace railgauge
