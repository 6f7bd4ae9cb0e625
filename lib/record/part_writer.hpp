// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/sample.hpp"
#include "record/output_file.hpp"
#include "record/table.hpp"

namespace railgauge {

/// Shape of /samples/<id>, without the cells.
struct SampleShape {
    std::vector<std::uint64_t> offsets;  ///< per rank, and the total
    std::vector<std::int32_t> groups;    ///< per rank
    std::vector<std::uint64_t> blocks;
    std::vector<SampleColumn> columns;
};

/// Everything of a part but the cells of its samples.
struct PartContent {
    int case_id = 0;
    std::string plan_id;
    Table case_row;
    std::optional<SampleShape> samples;  ///< none for a case that failed
    Table counters;                      ///< no rows = none
    Table series;
};

/// Rows of one column that follow each other, from row `first` on.
struct Stretch {
    std::uint64_t first;
    std::span<const Cell> cells;
};

/// Writes one part: the tables by HDF5, the columns straight from the gathered cells into the space
/// that HDF5 reserved for them. No MPI.
class PartWriter {
  public:
    PartWriter(const std::filesystem::path& path, const PartContent& content);

    /// Writes rows of column `column`, which is not constant. Stretches ascend; neighbours are
    /// written together.
    void write(std::size_t column, std::span<const Stretch> stretches);

    /// The part gets its name. Without it nothing is left.
    void commit() { file_.commit(); }

  private:
    void create_samples(int case_id, const SampleShape& shape);
    std::uint64_t create_column(hid_t parent, const SampleColumn& column, std::uint64_t rows);

    OutputFile file_;
    std::vector<std::uint64_t> column_offsets_;  ///< in the file; meaningless for constants
    std::vector<iovec> pieces_;
};

}  // namespace railgauge
