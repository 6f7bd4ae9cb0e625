// SPDX-License-Identifier: Apache-2.0
#include "program/job_site.hpp"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

JobSite with_control_interface(std::optional<std::string> interface) {
    JobSite site;
    site.site = Site{};
    site.site->control_interface = std::move(interface);
    return site;
}

TEST(BoardInterfaceTest, is_the_sites_unless_the_command_line_gives_one) {
    EXPECT_EQ(board_interface("", with_control_interface("bond1")), "bond1");
    EXPECT_EQ(board_interface("eth0", with_control_interface("bond1")), "eth0");
}

TEST(BoardInterfaceTest, is_any_without_a_site_or_where_the_site_shares_its_wire) {
    EXPECT_EQ(board_interface("", {}), "");
    EXPECT_EQ(board_interface("", with_control_interface(std::nullopt)), "");
}

TEST(ReadJobSiteTest, leaves_the_file_to_rank_0) {
    EXPECT_FALSE(read_job_site("none.toml", 3).mistake);
    EXPECT_TRUE(read_job_site("none.toml", 0).mistake);
}

TEST(ReadJobSiteTest, reads_the_file_where_the_launcher_does_not_say_which_rank_this_is) {
    EXPECT_TRUE(read_job_site("none.toml", -1).mistake);
}

TEST(ReadJobSiteTest, is_empty_without_a_file) {
    const JobSite none = read_job_site("", 0);
    EXPECT_FALSE(none.mistake);
    EXPECT_FALSE(none.site);
}

}  // namespace
}  // namespace railgauge
