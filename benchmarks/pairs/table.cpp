// SPDX-License-Identifier: Apache-2.0
#include "pairs/table.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text_table.hpp"

namespace railgauge {
namespace {

constexpr std::array<TextColumn, 20> columns{
    {{"operation", "", 9},    {"memory", "", 6},       {"verb", "", 5},
     {"direction", "", 10},   {"pattern", "", 11},     {"rails", "", 8},
     {"repeat", "", 6},       {"round", "", 5},        {"size", "(B)", 10},
     {"depth", "", 5},        {"QPs", "", 3},          {"pairs", "", 5},
     {"lowest", "(Gb/s)", 9}, {"median", "(Gb/s)", 9}, {"highest", "(Gb/s)", 9},
     {"median", "(us)", 9},   {"p99", "(us)", 9},      {"max", "(us)", 9},
     {"#wrong", "(B)", 8},    {"slowest", "", 0}}};

constexpr TextTable table(columns);

std::string rate(double gbit_per_s) {
    return std::isnan(gbit_per_s) ? "-" : fmt::format("{:.4f}", gbit_per_s);
}

std::string wrong_bytes(const CaseResult& result) {
    return result.checked_elements == 0 ? "N/A" : fmt::format("{}", result.wrong_elements);
}

}  // namespace

std::string pairs_table_header() {
    return "# Bandwidth is payload of a pair in one direction, acknowledged: lowest, median and\n"
           "# highest pair. Latency is half of a round trip, or one read, over all pairs; p99 "
           "takes 1000 samples.\n# 1 Gb/s is 1e9 bit/s.\n" +
           table.header();
}

std::string pairs_table_row(const Case& c, const CaseResult& result, const PairSummary& summary) {
    std::vector<std::string> cells;
    for (const char* name : {"operation", "memory", "verb", "direction", "pattern", "rails"})
        cells.push_back(c.text(name));
    for (const char* name : {"repeat", "round", "bytes", "depth", "queues", "pairs"})
        cells.push_back(to_text(c.integer(name)));
    if (result.status != CaseStatus::done && result.status != CaseStatus::wrong)
        return table.row_without_result(cells, to_text(result.status), result.reason);
    for (const double value :
         {summary.lowest_gbit_per_s, summary.median_gbit_per_s, summary.highest_gbit_per_s})
        cells.push_back(rate(value));
    for (const double ns : {summary.median_ns, summary.p99_ns, summary.max_ns})
        cells.push_back(microseconds_cell(ns));
    cells.push_back(wrong_bytes(result));
    cells.push_back(summary.slowest);
    return table.row(cells);
}

}  // namespace railgauge
