// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "measure/case.hpp"
#include "measure/observer.hpp"
#include "measure/progress.hpp"
#include "measure/sample.hpp"
#include "measure/team.hpp"
#include "record/rank_share.hpp"
#include "record/run_context.hpp"

namespace railgauge {

/// Makes a run of cases: one part per case, and at a clean end the run file (docs/run-file.md).
/// Rank 0 writes what it gathers of the ranks' samples and counters; with Writer::parallel every
/// rank writes its samples, and rank 0 the rest. All methods are collective over
/// `comm`; a failure on one rank throws the same AgreedError on every rank.
class Recorder {
  public:
    struct CaseRecord {
        const Case& c;
        CaseResult result;  ///< rank 0's is recorded
        int group = 0;
        std::int64_t clock_offset_ns = 0;       ///< common clock minus this rank's
        const SampleSource* samples = nullptr;  ///< none for cases that failed
        Observations observations;              ///< only node leaders have any
        /// On rank 0, for every gathered stretch of a column that is heard, while it passes by.
        std::function<void(int rank, std::size_t column, std::span<const Cell>)> on_gathered;
        /// Columns that on_gathered hears of; the same on every rank. A parallel writer gathers
        /// these and no others, in blocks like the default one.
        ColumnSet heard{};
    };

    struct Options {
        std::filesystem::path out;
        ExistingRun existing = ExistingRun::refuse;
        Writer writer = Writer::gather;
        int node = 0;  ///< of this rank
        /// Cells that are gathered or written at a time, over all ranks: rank 0 holds as many of
        /// eight bytes.
        std::size_t block_cells = std::size_t{4} << 20;
    };

    /// Creates `<out>.parts/` with its header, or takes up an interrupted run: one of the same plan
    /// whose ranks ran on the same hosts. A resumed run keeps its header; times of this job are
    /// moved to the header's clock.
    /// @param team the ranks of `comm`; outlives the Recorder, as `progress` does
    /// @throws AgreedError(usage) when the output exists and may not be replaced, or the run to
    ///         resume is another; AgreedError(library) when the folder cannot be written
    Recorder(MPI_Comm comm, Team& team, Progress& progress, Options options,
             const RunContext& context, const std::vector<Case>& plan);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Whether an earlier attempt finished this case (done, wrong or skipped); the same answer on
    /// all ranks.
    bool is_finished(int case_id) const;

    /// Whether one of the cases that an earlier attempt finished has wrong data;
    /// the same answer on all ranks.
    bool found_wrong() const;

    /// On rank 0 the folder whose files become part of the run; it may have to be made. None
    /// elsewhere, and none where nothing is left to measure.
    std::optional<std::filesystem::path> archive() const;

    /// Writes the part of a case. Nothing of it is kept when it throws; the parts of other cases
    /// are.
    /// @return on rank 0 the result with its sample count filled in; elsewhere the result as given
    CaseResult record(const CaseRecord& record);

    /// Makes `<out>` from the parts and removes them. Parts stay when it throws.
    void finish(const std::string& finished_utc);

    /// Waits until no file is being written and keeps it so: for the thread that is about to end
    /// the process after a signal. Callable without a Recorder.
    /// @return false when writing did not pause within `wait_ms`
    static bool wait_until_idle(int wait_ms);

    /// Version of the HDF5 library in use, as "1.10.8".
    static std::string hdf5_version();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace railgauge
