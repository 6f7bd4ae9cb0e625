// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(ErrorTest, reads_problem_reason_remedy) {
    const Error error(ExitCode::usage, "root 9 does not exist", "the job has 4 ranks",
                      "use --root 0..3");
    EXPECT_STREQ(error.what(), "root 9 does not exist (the job has 4 ranks); use --root 0..3");
    EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(ErrorTest, stays_one_line_whatever_it_quotes) {
    const Error error(ExitCode::usage, "bad\nname\r\x1b[31m", "why", "what");
    EXPECT_EQ(std::string(error.what()).find_first_of("\n\r\x1b"), std::string::npos);
}

TEST(ErrorTest, keeps_korean_text) {
    EXPECT_EQ(one_line("서울-노드1\n"), "서울-노드1 ");
}

TEST(CheckErrnoTest, names_the_path_and_what_to_do_when_the_disk_is_full) {
    errno = ENOSPC;
    try {
        check_errno(-1, "writing", "/x/y.h5");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("writing '/x/y.h5' failed"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("free space"), std::string::npos);
    }
    EXPECT_EQ(check_errno(7, "writing", "x"), 7);
}

}  // namespace
}  // namespace railgauge
