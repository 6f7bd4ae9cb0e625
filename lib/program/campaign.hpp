// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "measure/observer.hpp"
#include "measure/progress.hpp"
#include "mpi/common_clock.hpp"
#include "program/command_line.hpp"
#include "program/program.hpp"
#include "program/progress_line.hpp"
#include "program/time_summary.hpp"
#include "record/recorder.hpp"

namespace railgauge {

/// Measures the plan case by case: observe, run, observe, record, one line of the table.
class Campaign {
  public:
    Campaign(const Job& job, Progress& progress, const CommandLine& line, CommonClock& clock,
             Program& program, Recorder& recorder);

    /// @return done, wrong_data when a case was wrong, library when one failed
    ExitCode run(const std::vector<Case>& plan);

  private:
    CaseResult measure(const Case& c);
    CaseResult run(const Case& c, IterationWorkload& workload);
    CaseResult run(const Case& c, WindowWorkload& workload);
    CaseResult keep(const Case& c, const CaseResult& result, const Workload& workload,
                    const SampleSource& samples);
    ColumnSet heard() const;

    const Job& job_;
    Progress& progress_;
    const CommandLine& line_;
    CommonClock& clock_;
    Program& program_;
    Recorder& recorder_;
    std::vector<std::unique_ptr<CaseObserver>> observers_;
    AnyWorkload workload_;
    SampleBuffer samples_;
    TimeCollector times_;
    ExitCode worst_ = ExitCode::done;
};

}  // namespace railgauge
