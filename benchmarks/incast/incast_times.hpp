// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "incast/cast.hpp"
#include "measure/sample.hpp"

namespace railgauge {

/// What one case did, for the table on stdout; readers of the run compute their own. Values that
/// cannot be had are NaN. Of several receivers at once, the one that received least.
struct IncastSummary {
    /// Payload finished within the window, Gbit/s (1e9 bit/s).
    double aggregate_gbit_per_s;
    /// Of senders: what each moved over the mean of all, and Jain's index.
    double lowest_share;
    double median_share;
    double highest_share;
    double jain;
    /// Of requests, over the rows of all senders.
    double median_ns;
    double p99_ns;  ///< from 1000 rows on
    double max_ns;
    double victim_p99_ns;  ///< of its round trips
};

/// Collects the rows of a case on rank 0 as they are gathered, column by column. Keeps as much as a
/// number of rows at most: beyond it medians and percentiles are left to the readers of the run.
class IncastTimes {
  public:
    /// Columns that add() needs.
    static std::vector<std::string> columns();

    /// Forgets the case before.
    void begin(int case_id, const Cast& cast, std::int64_t duration_ns);
    int case_id() const { return case_id_; }

    /// The next cells of a column of a rank; of other columns, nothing.
    void add(int rank, std::string_view column, std::span<const Cell> cells);

    IncastSummary summarise() const;

  private:
    static constexpr std::size_t most_kept = std::size_t{8} << 20;

    struct Times {
        std::vector<std::int64_t> kept_ns;
        std::uint64_t rows = 0;
        std::int64_t longest_ns = 0;

        void add(std::int64_t elapsed_ns, std::int64_t row_longest_ns);
        double quantile_ns(double fraction, std::size_t least_rows) const;
    };
    using Pending = std::array<std::vector<Cell>, 4>;  ///< by column

    void take_rows(int rank);
    void summarise(const Crew& crew, IncastSummary& summary) const;

    int case_id_ = -1;
    Cast cast_;
    std::int64_t duration_ns_ = 0;
    std::map<int, Pending> pending_;
    std::map<int, double> bytes_;  ///< within the window, by sender
    Times senders_;
    Times victim_;
};

}  // namespace railgauge
