// SPDX-License-Identifier: Apache-2.0
#include "record/run_paths.hpp"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(RunPathsTest, names_parts_with_four_digits_or_more) {
    const RunPaths paths("결과/run");
    EXPECT_EQ(paths.folder(), "결과/run.parts");
    EXPECT_EQ(paths.header(), "결과/run.parts/header.h5");
    EXPECT_EQ(paths.part(7), "결과/run.parts/0007.h5");
    EXPECT_EQ(paths.part(10'001), "결과/run.parts/10001.h5");
}

TEST(RunPathsTest, names_what_lies_beside_a_run) {
    const RunPaths paths("결과/run.h5");
    EXPECT_EQ(paths.board(), "결과/run.h5.board");
    EXPECT_EQ(paths.expired_report(), "결과/run.h5.parts/expired.json");
}

TEST(RunPathsTest, knows_the_case_of_every_part_it_names) {
    for (const int id : {0, 7, 999, 9'999, 10'000, 10'001, 99'999}) {
        EXPECT_EQ(case_of_part(case_group(id) + ".h5"), id);
    }
}

TEST(RunPathsTest, takes_no_other_file_for_a_part) {
    for (const char* name : {"header.h5", "007.h5", "00007.h5", "+007.h5", "-001.h5", "0007.h5.tmp",
                             "0007", ".h5", "99999999999999999999.h5", "0007.h5~", ""}) {
        EXPECT_EQ(case_of_part(name), std::nullopt) << name;
    }
}

TEST(RunPathsTest, node_groups_never_leave_their_parent) {
    EXPECT_EQ(node_group("gpu01"), "gpu01");
    EXPECT_EQ(node_group("노드/../1"), "노드%2F..%2F1");
    EXPECT_EQ(node_group("."), "%2E");
}

}  // namespace
}  // namespace railgauge
