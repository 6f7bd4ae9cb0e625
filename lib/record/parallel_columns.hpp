// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <mpi.h>

#include "measure/progress.hpp"
#include "measure/sample.hpp"
#include "measure/team.hpp"

namespace railgauge {

/// Writes the columns of a part by MPI-IO, every rank its own rows.
///
/// The part is there already, with room for every row, and its metadata are done: rank 0 made them
/// as it does for a part of its own. So a file that HDF5 cannot close, which would crash or hang
/// the ranks at their end, cannot come of metadata, and a full disk is found before the ranks
/// depend on each other.
class ParallelColumns {
  public:
    struct Target {
        std::filesystem::path file;
        std::vector<std::string> columns;  ///< in the group `group`, none constant
        std::string group;
    };

    struct OwnRows {
        const SampleSource* samples = nullptr;
        std::uint64_t rows = 0;  ///< behind those of the lower ranks; 0 = this rank has none
        std::int64_t shift_ns = 0;
    };

    /// @param block_cells cells that are written at a time, over all ranks
    ParallelColumns(MPI_Comm comm, Team& team, Progress& progress, std::size_t block_cells)
        : comm_(comm), team_(team), progress_(progress), block_cells_(block_cells) {}

    /// Collective. @param target rank 0's counts; without columns nothing is written
    /// @throws AgreedError when a rank cannot reach or write the file; Error, on which the job must
    ///         be ended, when some ranks have it open and others cannot
    void write(Target target, const OwnRows& own);

  private:
    void share(Target& target) const;
    void require_reach(const Target& target);
    std::uint64_t first_row(const OwnRows& own) const;

    MPI_Comm comm_;
    Team& team_;
    Progress& progress_;
    std::size_t block_cells_;
};

}  // namespace railgauge
