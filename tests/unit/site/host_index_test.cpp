// SPDX-License-Identifier: Apache-2.0
#include "site/host_index.hpp"

#include <gtest/gtest.h>

namespace railgauge {
namespace {

TEST(HostIndexTest, numbers_hosts_in_the_order_they_are_added) {
    HostIndex index;
    EXPECT_FALSE(index.add("gpu01"));
    EXPECT_FALSE(index.add("노드2"));
    EXPECT_EQ(index.find("gpu01"), 0);
    EXPECT_EQ(index.find("노드2"), 1);
    EXPECT_EQ(index.size(), 2);
}

TEST(HostIndexTest, finds_a_short_name_by_its_name_with_a_domain_and_the_reverse) {
    HostIndex index;
    index.add("gpu01");
    index.add("gpu02.cluster.example");
    EXPECT_EQ(index.find("gpu01.cluster.example"), 0);
    EXPECT_EQ(index.find("gpu02"), 1);
    EXPECT_EQ(index.find("gpu02.other.example"), std::nullopt);
}

TEST(HostIndexTest, ignores_case) {
    HostIndex index;
    index.add("GPU01.Cluster");
    EXPECT_EQ(index.find("gpu01.cluster"), 0);
    EXPECT_EQ(index.find("Gpu01"), 0);
}

TEST(HostIndexTest, takes_no_beginning_of_a_name_for_the_name) {
    HostIndex index;
    index.add("gpu1");
    index.add("gpu11");
    EXPECT_EQ(index.find("gpu1"), 0);
    EXPECT_EQ(index.find("gpu"), std::nullopt);
    EXPECT_EQ(index.find("gpu1#2"), std::nullopt);
    EXPECT_EQ(index.find(""), std::nullopt);
    EXPECT_EQ(index.find("."), std::nullopt);
}

TEST(HostIndexTest, adds_no_second_name_of_a_host_it_has) {
    HostIndex index;
    index.add("a");
    index.add("b.x");
    EXPECT_EQ(index.add("a"), 0);
    EXPECT_EQ(index.add("A.x"), 0);
    EXPECT_EQ(index.add("b"), 1);
    EXPECT_EQ(index.size(), 2);
}

TEST(HostIndexTest, tells_hosts_of_two_domains_apart_and_never_guesses_between_them) {
    HostIndex index;
    EXPECT_FALSE(index.add("gpu01.a"));
    EXPECT_FALSE(index.add("gpu01.b"));
    EXPECT_EQ(index.find("gpu01.b"), 1);
    EXPECT_EQ(index.find("gpu01"), std::nullopt);
    EXPECT_EQ(index.find("gpu01.c"), std::nullopt);
    EXPECT_TRUE(index.add("gpu01"));
}

}  // namespace
}  // namespace railgauge
