// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/sample.hpp"
#include "record/block_plan.hpp"
#include "record/observation_cells.hpp"
#include "record/part_writer.hpp"

namespace railgauge {

/// What rank 0 knows of a case before anything is gathered.
struct CaseFrame {
    int case_id = 0;
    std::string plan_id;
    Table case_row;
    std::vector<std::uint64_t> blocks;
    std::vector<SampleColumn> columns;  ///< constants may be another rank's: they are gathered
};

/// For every gathered stretch of a column that is not constant, while it passes by.
using GatherListener = std::function<void(int rank, std::size_t column, std::span<const Cell>)>;

/// Rank 0's side of a case: takes the gathered blocks apart and writes the part. No MPI.
class PartAssembly {
  public:
    PartAssembly(const BlockPlan& plan, std::filesystem::path path, CaseFrame frame,
                 GatherListener listener);

    /// Takes the next block: what all ranks sent, in rank order. @throws Error
    void take(std::span<const Cell> cells);

    /// Gives the part its name, unless a rank could not read its samples: that rank reports it.
    void commit();

  private:
    void take_rank(int rank, std::span<const Cell> cells);
    void take_constants(int rank, std::span<const Cell> cells);
    void open_part();
    void write_columns();

    const BlockPlan& plan_;
    std::filesystem::path path_;
    CaseFrame frame_;
    GatherListener listener_;
    std::uint64_t block_ = 0;
    int constants_from_ = -1;  ///< first rank with rows
    bool whole_ = true;
    ObservationTables observations_;
    std::optional<PartWriter> writer_;
    std::vector<std::vector<Stretch>> stretches_;  ///< of this block, by column
};

}  // namespace railgauge
