// SPDX-License-Identifier: Apache-2.0
#include "site/host_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge::site {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t many = 1000;

std::vector<std::string> hosts(std::string_view pattern) {
    HostExpansion expansion = expand_hosts(pattern, many);
    EXPECT_EQ(expansion.why, "") << pattern;
    return expansion.hosts;
}

TEST(HostPatternTest, leaves_a_plain_name_as_it_is) {
    EXPECT_THAT(hosts("gpu01.cluster.example"), ElementsAre("gpu01.cluster.example"));
    EXPECT_THAT(hosts("서울-노드1"), ElementsAre("서울-노드1"));
}

TEST(HostPatternTest, pads_numbers_to_the_width_of_the_first) {
    EXPECT_THAT(hosts("gpu[08-10]"), ElementsAre("gpu08", "gpu09", "gpu10"));
    EXPECT_THAT(hosts("gpu[8-10]"), ElementsAre("gpu8", "gpu9", "gpu10"));
    EXPECT_THAT(hosts("gpu[098-100]"), ElementsAre("gpu098", "gpu099", "gpu100"));
    EXPECT_THAT(hosts("gpu[98-100]"), ElementsAre("gpu98", "gpu99", "gpu100"));
}

TEST(HostPatternTest, takes_lists_of_ranges_and_what_stands_around_them) {
    EXPECT_THAT(hosts("노드[1,3-4].a"), ElementsAre("노드1.a", "노드3.a", "노드4.a"));
    EXPECT_THAT(hosts("[1-2]"), ElementsAre("1", "2"));
}

TEST(HostPatternTest, combines_several_brackets) {
    EXPECT_THAT(hosts("r[1-2]n[01-02]"), ElementsAre("r1n01", "r1n02", "r2n01", "r2n02"));
}

TEST(HostPatternTest, refuses_what_is_no_range_or_no_host) {
    for (const char* pattern : {"",           "gpu[",
                                "gpu]",       "gpu[]",
                                "gpu[a-b]",   "gpu[1-]",
                                "gpu[-1]",    "gpu[1-2",
                                "gpu[1,,2]",  "gpu[2-1]",
                                "gpu[1-02]",  "gpu[1-2-3]",
                                "gpu[[1]]",   "gpu[+1]",
                                "gpu[0x1]",   "gpu 1",
                                "gpu[1 - 2]", "a/b",
                                "a,b",        "a:8",
                                "*",          "a\tb",
                                "\x7f",       ".example",
                                "[1].[2]]",   "gpu[9999999999]"}) {
        const HostExpansion expansion = expand_hosts(pattern, many);
        EXPECT_NE(expansion.why, "") << pattern;
        EXPECT_THAT(expansion.hosts, IsEmpty()) << pattern;
    }
}

TEST(HostPatternTest, refuses_a_range_that_means_too_many_without_expanding_it) {
    EXPECT_EQ(expand_hosts("gpu[1-1000]", many).hosts.size(), 1000u);
    for (const char* pattern : {"gpu[0-1000]", "a[1-999999999]", "a[1-100]b[1-11]",
                                "[1-999999999][1-999999999][1-999999999][1-999999999]"}) {
        EXPECT_THAT(expand_hosts(pattern, many).why, HasSubstr("more hosts than the 1000"));
    }
    EXPECT_NE(expand_hosts("gpu1", 0).why, "");
}

TEST(HostPatternTest, refuses_names_longer_than_dns_allows) {
    EXPECT_EQ(expand_hosts(std::string(253, 'a'), many).why, "");
    EXPECT_NE(expand_hosts(std::string(254, 'a'), many).why, "");
}

}  // namespace
}  // namespace railgauge::site
