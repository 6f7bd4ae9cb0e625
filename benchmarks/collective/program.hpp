// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collective/options.hpp"
#include "program/program.hpp"

namespace railgauge {

/// railgauge-collective: collectives of all ranks of the job.
class CollectiveProgram : public Program {
  public:
    std::string_view name() const override { return "collective"; }
    std::string_view description() const override {
        return "Measures collective operations of all ranks of the job.";
    }

    void add_options(CLI::App& app) override { options_.add_to(app); }
    std::vector<Case> plan(const Job& job) override;
    AnyWorkload make_workload(const Job& job) override;

    std::string table_header() const override;
    std::string table_row(const Case& c, const CaseResult& result,
                          const TimeSummary& times) const override;

  private:
    CollectiveOptions options_;
    std::vector<Case> cases_;
    Weights weights_;
};

}  // namespace railgauge
