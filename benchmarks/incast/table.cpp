// SPDX-License-Identifier: Apache-2.0
#include "incast/table.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text_table.hpp"

namespace railgauge {
namespace {

constexpr std::array<TextColumn, 17> columns{{{"receiver", "", 8},
                                              {"senders", "", 7},
                                              {"queues", "", 6},
                                              {"size", "(B)", 10},
                                              {"depth", "", 5},
                                              {"victim", "", 13},
                                              {"congestion", "", 10},
                                              {"total", "(Gb/s)", 9},
                                              {"lowest", "(share)", 8},
                                              {"median", "(share)", 8},
                                              {"highest", "(share)", 8},
                                              {"Jain", "", 7},
                                              {"median", "(us)", 10},
                                              {"p99", "(us)", 10},
                                              {"max", "(us)", 10},
                                              {"#wrong", "(B)", 7},
                                              {"victim p99", "(us)", 10}}};

constexpr TextTable table(columns);

std::string number(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}

std::string wrong_bytes(const CaseResult& result) {
    return result.checked_elements == 0 ? "N/A" : fmt::format("{}", result.wrong_elements);
}

}  // namespace

std::string incast_table_header() {
    return "# Total is payload finished in the window at the receiver (of several the one with "
           "least).\n# A share is a sender's part over the mean of all: 1 is fair. Latency is from "
           "posting a\n# request to its completion; p99 takes 1000 rows. 1 Gb/s is 1e9 bit/s.\n" +
           table.header();
}

std::string incast_table_row(const Case& c, const CaseResult& result,
                             const IncastSummary& summary) {
    std::vector<std::string> cells{c.text("receiver_ranks")};
    for (const char* name : {"senders", "queues", "bytes", "depth"})
        cells.push_back(to_text(c.integer(name)));
    cells.push_back(c.text("victim"));
    cells.push_back(c.text("congestion"));
    if (result.status != CaseStatus::done && result.status != CaseStatus::wrong)
        return table.row_without_result(cells, to_text(result.status), result.reason);
    for (const double value : {summary.aggregate_gbit_per_s, summary.lowest_share,
                               summary.median_share, summary.highest_share, summary.jain})
        cells.push_back(number(value));
    for (const double ns : {summary.median_ns, summary.p99_ns, summary.max_ns})
        cells.push_back(microseconds_cell(ns));
    cells.push_back(wrong_bytes(result));
    cells.push_back(microseconds_cell(summary.victim_p99_ns));
    return table.row(cells);
}

}  // namespace railgauge
