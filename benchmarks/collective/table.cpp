// SPDX-License-Identifier: Apache-2.0
#include "collective/table.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/text_table.hpp"

namespace railgauge {
namespace {

constexpr std::array<TextColumn, 16> columns{{{"group", "", 14},
                                              {"active", "", 8},
                                              {"operation", "", 14},
                                              {"size", "(B)", 11},
                                              {"count", "(elements)", 11},
                                              {"type", "", 10},
                                              {"redop", "", 6},
                                              {"root", "", 4},
                                              {"place", "", 5},
                                              {"time", "(us)", 10},
                                              {"algbw", "(GB/s)", 8},
                                              {"busbw", "(GB/s)", 8},
                                              {"median", "(us)", 10},
                                              {"p99", "(us)", 10},
                                              {"max", "(us)", 10},
                                              {"#wrong", "(elements)", 10}}};

constexpr std::size_t group_columns = 2;

/// Without the groups, which only a split has.
constexpr TextTable table(std::span<const TextColumn>(columns).subspan(group_columns));
constexpr TextTable table_with_group(columns);

/// Bytes per nanosecond are GB per second.
std::string bandwidth(double bytes, double ns) {
    return std::isnan(bytes) || bytes == 0 || ns <= 0 ? "-" : fmt::format("{:.3f}", bytes / ns);
}

std::string wrong_elements(const CaseResult& result) {
    return result.checked_elements == 0 ? "N/A" : fmt::format("{}", result.wrong_elements);
}

}  // namespace

std::string collective_table_header(GroupColumn group) {
    const bool shown = group == GroupColumn::shown;
    return "# Times of one operation, pooled over all ranks: time is the mean, from which algbw "
           "and\n"
           "# busbw follow as in nccl-tests; p99 takes 1000 samples. 1 GB is 1e9 B.\n" +
           (shown ? table_with_group : table).header();
}

std::string collective_table_row(const Case& c, const CaseResult& result, const TimeSummary& times,
                                 const std::string& group) {
    const TextTable& shown = group.empty() ? table : table_with_group;
    std::vector<std::string> cells{c.text("operation"),
                                   to_text(c.integer("bytes")),
                                   to_text(c.integer("count")),
                                   c.text("dtype"),
                                   c.text("redop"),
                                   to_text(c.integer("root")),
                                   c.text("place")};
    if (!group.empty()) {
        const bool is_alone = c.integer("active_group") >= 0;
        cells.insert(cells.begin(), {group, is_alone ? "alone" : "together"});
    }
    if (result.status != CaseStatus::done && result.status != CaseStatus::wrong) {
        return shown.row_without_result(cells, to_text(result.status), result.reason);
    }
    const auto bytes = static_cast<double>(result.algbw_bytes);
    for (std::string cell : {microseconds_cell(times.mean_ns), bandwidth(bytes, times.mean_ns),
                             bandwidth(bytes * result.bus_factor, times.mean_ns),
                             microseconds_cell(times.median_ns), microseconds_cell(times.p99_ns),
                             microseconds_cell(times.max_ns), wrong_elements(result)}) {
        cells.push_back(std::move(cell));
    }
    return shown.row(cells);
}

}  // namespace railgauge
