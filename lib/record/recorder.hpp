// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/case.hpp"
#include "measure/observer.hpp"
#include "measure/progress.hpp"
#include "measure/sample.hpp"

namespace railgauge {

/// One row of /ranks.
struct RankRow {
  int rank = 0;
  int node = 0;
  int local_rank = 0;
  std::string host;
  int gpu_index = -1;
  std::string gpu_uuid;
  std::string gpu_pci;
  std::string nic;
  int rail = -1;
  int numa = -1;
  std::string cpus;
  std::int64_t clock_offset_ns = 0;
  std::int64_t clock_error_ns = 0;
};

/// One group of /nodes.
struct NodeFacts {
  int node = 0;
  std::string host;  ///< unique in the run
  std::string json;
};

/// Everything of the header that is known before the first case. Complete on rank 0, unread elsewhere.
struct RunContext {
  std::string program;
  std::string version;
  std::string git_revision;
  std::vector<std::string> argv;
  std::string origin = "hardware";
  std::string started_utc;
  std::int64_t clock_unix_ns = 0;
  std::string plan_id;
  std::vector<RankRow> ranks;
  std::vector<NodeFacts> nodes;
  std::string site;  ///< the site file's text; empty = none given
};

enum class ExistingRun { refuse, overwrite, resume };

/// Makes a run of cases: gathers each case's samples and counters to rank 0, which writes one part per case, and
/// at a clean end the run file (docs/run-file.md). All methods are collective over `comm`; a failure on one rank
/// throws the same Error on every rank.
class Recorder {
 public:
  /// Where this rank's observations come from: only node leaders have any.
  struct CaseRecord {
    const Case& c;
    CaseResult result;
    int group = 0;
    const SampleSource* samples = nullptr;  ///< none for cases that failed
    Observations observations;
    /// On rank 0, for every gathered stretch of a column that is not constant, while it passes by.
    std::function<void(int rank, std::size_t column, std::span<const Cell>)> on_gathered;
  };

  struct Options {
    std::filesystem::path out;
    ExistingRun existing = ExistingRun::refuse;
    int node = 0;  ///< of this rank
    std::int64_t clock_offset_ns = 0;
  };

  /// Creates `<out>.parts/` with its header, or takes up an interrupted run whose plan_id is equal.
  /// @throws Error(usage) when the output exists and may not be replaced, or the run to resume has another plan
  Recorder(MPI_Comm comm, Progress& progress, Options options, const RunContext& context,
           const std::vector<Case>& plan);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Whether an earlier attempt finished this case (done, wrong or skipped); the same answer on all ranks.
  bool is_finished(int case_id) const;

  /// @return on rank 0 the result with its sample count filled in; elsewhere the result as given
  CaseResult record(const CaseRecord& record);

  /// Makes `<out>` from the parts and removes them. Parts stay when it throws.
  void finish(const std::string& finished_utc);

  /// Holds while no file is being written; a signal handler's thread takes it before it ends the process.
  /// @return false when writing did not pause within `wait_ms`
  static bool wait_until_idle(int wait_ms);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace railgauge
