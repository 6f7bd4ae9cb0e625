// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collective/plan.hpp"
#include "collective/table.hpp"

namespace railgauge {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

class TableTest : public testing::Test {
  protected:
    TableTest() {
        CollectiveOptions options;
        options.sizes = "1000000";
        options.operations = {"broadcast"};
        case_ = plan_collectives(options, {4}).cases.at(0);
        result_.status = CaseStatus::done;
        result_.checked_elements = 100;
        result_.algbw_bytes = 1'000'000;
        result_.bus_factor = 1.5;
        times_ = {4000, 2e6, 1.5e6, 3e6, 4e6};
    }

    std::vector<std::string> row() const {
        return words(collective_table_row(case_, result_, times_));
    }

    Case case_{"", {}};
    CaseResult result_;
    TimeSummary times_;
};

TEST_F(TableTest, a_row_has_times_in_us_and_bandwidths_in_gb_per_s) {
    EXPECT_THAT(row(),
                ElementsAre("broadcast", "1000000", "250000", "float32", "none", "0", "out",
                            "2000.00", "0.500", "0.750", "1500.00", "3000.00", "4000.00", "0"));
}

TEST_F(TableTest, columns_stand_under_their_names) {
    std::istringstream header(collective_table_header());
    std::string line;
    std::string last;
    while (std::getline(header, line))
        last = line;
    EXPECT_EQ(collective_table_row(case_, result_, times_).size(), last.size());
}

TEST_F(TableTest, what_is_not_known_is_a_dash) {
    times_.p99_ns = std::numeric_limits<double>::quiet_NaN();
    result_.bus_factor = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(row().at(11), "-");
    EXPECT_EQ(row().at(9), "-");
}

TEST_F(TableTest, unchecked_results_are_not_called_right) {
    result_.checked_elements = 0;
    EXPECT_EQ(row().back(), "N/A");
}

TEST_F(TableTest, a_case_that_was_not_measured_says_why) {
    result_.status = CaseStatus::skipped;
    result_.reason = "no memory";
    EXPECT_THAT(collective_table_row(case_, result_, times_), EndsWith("  skipped: no memory"));
}

}  // namespace
}  // namespace railgauge
