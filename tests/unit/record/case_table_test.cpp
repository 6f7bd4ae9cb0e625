// SPDX-License-Identifier: Apache-2.0
#include "record/case_table.hpp"

#include <cmath>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const Table& table) {
    std::vector<std::string> result;
    for (const auto& column : table.columns)
        result.push_back(column.name);
    return result;
}

TEST(CaseTableTest, columns_are_bookkeeping_and_then_the_variables_in_their_order) {
    const std::vector<Case> plan{Case("a", {{"operation", std::string("x")}, {"bytes", 8L}})};
    EXPECT_THAT(names(CaseTable(plan).planned(plan)),
                ElementsAre("id", "name", "status", "reason", "checked_elements", "wrong_elements",
                            "samples", "started_ns", "wall_ns", "clock_error_ns", "ops_per_sample",
                            "algbw_bytes", "bus_factor", "algorithm", "protocol", "channels",
                            "operation", "bytes"));
}

TEST(CaseTableTest, a_variable_that_a_case_lacks_is_none) {
    const std::vector<Case> plan{Case("a", {{"count", 8L}, {"load", 0.5}}),
                                 Case("b", {{"peer", std::string("n1")}})};
    const Table table = CaseTable(plan).planned(plan);
    EXPECT_THAT(std::get<std::vector<std::int64_t>>(table.find("count")->cells),
                ElementsAre(8, -1));
    EXPECT_TRUE(std::isnan(std::get<std::vector<double>>(table.find("load")->cells)[1]));
    EXPECT_THAT(std::get<std::vector<std::string>>(table.find("peer")->cells),
                ElementsAre("", "n1"));
}

TEST(CaseTableTest, a_variable_of_two_types_is_text) {
    const std::vector<Case> plan{Case("a", {{"peer", 8L}}),
                                 Case("b", {{"peer", std::string("n1")}})};
    const Table table = CaseTable(plan).planned(plan);
    EXPECT_THAT(std::get<std::vector<std::string>>(table.find("peer")->cells),
                ElementsAre("8", "n1"));
}

TEST(CaseTableTest, refuses_a_variable_named_like_a_bookkeeping_column) {
    EXPECT_THROW(CaseTable({Case("a", {{"status", 1L}})}), std::logic_error);
}

TEST(CaseTableTest, planned_cases_are_planned_and_have_no_bus_factor) {
    const std::vector<Case> plan{Case("a", {})};
    const Table table = CaseTable(plan).planned(plan);
    EXPECT_THAT(std::get<std::vector<std::string>>(table.find("status")->cells),
                ElementsAre("planned"));
    EXPECT_TRUE(std::isnan(std::get<std::vector<double>>(table.find("bus_factor")->cells)[0]));
}

}  // namespace
}  // namespace railgauge
