// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "incast/incast_times.hpp"
#include "incast/options.hpp"
#include "incast/plan.hpp"
#include "pairs/fleet.hpp"
#include "program/program.hpp"

namespace railgauge {

/// railgauge-incast: many senders into one receiver, and what that does to others.
class IncastProgram : public Program {
  public:
    std::string_view name() const override { return "incast"; }
    std::string_view description() const override {
        return "Measures many senders into one receiver, and what that does to others.";
    }
    WorkloadKind kind() const override { return WorkloadKind::window; }

    void add_options(CLI::App& app) override { options_.add_to(app); }
    bool needs_gpu() const override { return options_.needs_gpu(); }
    std::vector<Case> plan(const Job& job) override;
    AnyWorkload make_workload(const Job& job) override;

    std::vector<std::string> gathered_columns() const override { return IncastTimes::columns(); }
    void take_gathered(const Case& c, int rank, std::string_view column,
                       std::span<const Cell> cells) override;
    std::string table_header() const override;
    std::string table_row(const Case& c, const CaseResult& result,
                          const TimeSummary& times) override;

  private:
    IncastOptions options_;
    std::optional<Fleet> fleet_;
    IncastPlan plan_;
    IncastTimes times_;
};

}  // namespace railgauge
