// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "measure/sample.hpp"

namespace railgauge {

/// Where a window workload puts its finished requests: memory is bounded at any duration, because
/// full blocks go to a spool file of this rank.
///
///     // one cell for each column that is not constant
///     const std::array<Cell, 3> row{start, elapsed, bytes};
///     sink.add(row);
class SampleSink : public SampleSource {
  public:
    /// Allocates and touches one block of 1 MiB.
    /// @param folder where the spool file is made when the first block is full; it has no name, so
    ///        that a kill leaves nothing behind
    SampleSink(std::filesystem::path folder, std::vector<SampleColumn> columns);
    ~SampleSink() override;

    /// Keeps one row; every so many rows one write(2) of a block.
    /// @throws Error(library) when the spool cannot be written (disk full)
    void add(std::span<const Cell> row);

    const std::vector<SampleColumn>& columns() const override;
    std::uint64_t rows() const override;

    /// @throws Error(library) when the spool cannot be read
    void copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const override;

  private:
    class Spool;
    std::unique_ptr<Spool> spool_;
};

}  // namespace railgauge
