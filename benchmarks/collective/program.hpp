// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "collective/group_times.hpp"
#include "collective/groups.hpp"
#include "collective/options.hpp"
#include "collective/plan.hpp"
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
    bool needs_gpu() const override { return options_.needs_gpu(); }
    LibraryWatch library_watch() const override;
    std::vector<Case> plan(const Job& job) override;
    void prepare_archive(const std::filesystem::path& folder) override;
    AnyWorkload make_workload(const Job& job) override;

    /// With groups, their times.
    void take_gathered(const Case& c, int rank, std::string_view column,
                       std::span<const Cell> cells) override;
    std::string table_header() const override;
    std::string table_row(const Case& c, const CaseResult& result,
                          const TimeSummary& times) override;

  private:
    bool is_split() const { return options_.split != no_split; }
    CaseResult of_group(CaseResult result, int group) const;
    PlannedGroups planned_groups(const Placement& placement) const;

    CollectiveOptions options_;
    Groups groups_;
    std::map<int, std::string> group_names_;
    GroupTimes group_times_{groups_};
    std::vector<Case> cases_;
    Weights weights_;
};

}  // namespace railgauge
