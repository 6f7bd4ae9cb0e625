// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mpi.h>

#include "measure/case.hpp"
#include "measure/team.hpp"
#include "measure/workload.hpp"
#include "mpi/placement.hpp"
#include "site/site.hpp"
#include "watchdog/library_watch.hpp"

namespace CLI {
class App;
}

namespace railgauge {

/// The running job, as a program sees it.
struct Job {
    MPI_Comm comm;
    Team& team;
    const Placement& placement;
    const Site* site = nullptr;  ///< what the file given by --site says; nullptr = none given
};

/// Pooled over all ranks and samples of a case, on rank 0; times of one operation in ns. For the
/// table on stdout only: readers of the run compute their own.
struct TimeSummary {
    std::uint64_t samples = 0;
    double mean_ns = 0;
    double median_ns =
        0;  ///< NaN, as all quantiles, when too many samples were taken to keep them here
    double p99_ns = 0;  ///< NaN when fewer than 1000 samples
    double max_ns = 0;
};

using AnyWorkload =
    std::variant<std::unique_ptr<IterationWorkload>, std::unique_ptr<WindowWorkload>>;

enum class WorkloadKind { iteration, window };

/// What a rank program adds to the shared course of a run (run_program).
class Program {
  public:
    virtual ~Program() = default;

    /// "collective": names the program railgauge-collective.
    virtual std::string_view name() const = 0;
    virtual std::string_view description() const = 0;

    /// Which of the shared measuring options apply.
    virtual WorkloadKind kind() const { return WorkloadKind::iteration; }

    virtual void add_options(CLI::App& app) = 0;

    /// Whether each rank needs a GPU of its own; asked after the options are parsed.
    virtual bool needs_gpu() const { return false; }

    /// What the watchdog may ask of the library under test.
    virtual LibraryWatch library_watch() const { return {}; }

    /// The cases in order, from the options and the job's shape alone: equal on every rank. @throws
    /// Error(usage)
    virtual std::vector<Case> plan(const Job& job) = 0;

    /// Called once, on rank 0, before make_workload(): files that lie in `folder` at the end of the
    /// run become part of it. Not called where nothing is left to measure. @throws Error
    virtual void prepare_archive(const std::filesystem::path& folder) { static_cast<void>(folder); }

    /// Called once, on all ranks, after the plan is agreed. @throws Error
    virtual AnyWorkload make_workload(const Job& job) = 0;

    /// Columns of samples that take_gathered needs; the same on every rank. With --writer parallel
    /// only these and elapsed_ns pass through rank 0.
    virtual std::vector<std::string> gathered_columns() const { return {}; }

    /// On rank 0, each stretch of one of the gathered_columns as it is gathered from a rank, before
    /// the case's table_row. Columns that are constant do not pass by.
    virtual void take_gathered(const Case& c, int rank, std::string_view column,
                               std::span<const Cell> cells) {
        static_cast<void>(c);
        static_cast<void>(rank);
        static_cast<void>(column);
        static_cast<void>(cells);
    }

    /// Lines of the table on stdout, without a line break at the end; rank 0 only.
    virtual std::string table_header() const = 0;
    virtual std::string table_row(const Case& c, const CaseResult& result,
                                  const TimeSummary& times) = 0;
};

/// The whole course of a rank program, from argv to exit code:
/// options, MPI, agreement on arguments and version, placement, clock, plan, recorder, cases,
/// consolidation.
int run_program(int argc, char** argv, Program& program);

}  // namespace railgauge
