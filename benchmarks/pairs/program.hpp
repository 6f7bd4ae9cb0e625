// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "pairs/fleet.hpp"
#include "pairs/options.hpp"
#include "pairs/pair_times.hpp"
#include "pairs/plan.hpp"
#include "pairs/served_client.hpp"
#include "program/program.hpp"

namespace railgauge {

/// railgauge-pairs: bandwidth and latency between ranks in pairs, many pairs at a time.
class PairsProgram : public Program {
  public:
    std::string_view name() const override { return "pairs"; }
    std::string_view description() const override {
        return "Measures bandwidth and latency between pairs of ranks, rail by rail.";
    }

    void add_options(CLI::App& app) override { options_.add_to(app); }
    bool needs_gpu() const override { return options_.needs_gpu(); }
    LibraryWatch library_watch() const override;
    std::vector<Case> plan(const Job& job) override;
    AnyWorkload make_workload(const Job& job) override;

    std::vector<std::string> gathered_columns() const override;
    void take_gathered(const Case& c, int rank, std::string_view column,
                       std::span<const Cell> cells) override;
    std::string table_header() const override;
    std::string table_row(const Case& c, const CaseResult& result,
                          const TimeSummary& times) override;

  private:
    std::optional<ServedClient> make_served_client(int rank) const;

    PairsOptions options_;
    std::optional<Fleet> fleet_;
    PairsPlan plan_;
    PairTimes times_;
};

}  // namespace railgauge
