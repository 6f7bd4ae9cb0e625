// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
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

/// Rows of one column that follow each other, from row `first` on.
struct RowRange {
    std::uint64_t first;
    std::span<const Cell> cells;
};

/// Writes one part: the tables by HDF5, the columns straight from the gathered cells into the space
/// that HDF5 reserved for them. No MPI.
///
///     PartWriter part(path, 7, plan_id);
///     part.reserve_samples(shape);         // unless the case failed
///     part.write(0, stretches);            // every row of every column that is not constant
///     part.add_constants(columns);
///     part.add_cases(row);
///     part.commit();                       // without it nothing is left
class PartWriter {
  public:
    PartWriter(const std::filesystem::path& path, int case_id, const std::string& plan_id);

    /// Makes /samples/<id> with room for every column that is not constant.
    void reserve_samples(const SampleShape& shape);

    /// Writes rows of column `column` of the shape. Ranges ascend; neighbours are written
    /// together.
    void write(std::size_t column, std::span<const RowRange> stretches);

    /// Makes the constant ones among `columns`.
    void add_constants(const std::vector<SampleColumn>& columns);

    void add_cases(const Table& row) { write_table(file_.id(), "cases", row); }

    /// Makes /<parent>/<id>, unless `table` has no rows.
    void add_case_table(const char* parent, const Table& table);

    /// Leaves the rows of every column to others, who find room for them in the file returned; only
    /// commit() may follow.
    const std::filesystem::path& hand_over();

    void commit();

  private:
    hdf5::Dataset create_column(const SampleColumn& column) const;

    std::string case_group_;
    OutputFile file_;
    hdf5::Group samples_;
    std::uint64_t rows_ = 0;
    std::vector<std::uint64_t> column_offsets_;  ///< in the file, by column of the shape
    std::vector<iovec> pieces_;
};

}  // namespace railgauge
