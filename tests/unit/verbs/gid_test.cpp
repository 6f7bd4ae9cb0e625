// SPDX-License-Identifier: Apache-2.0
#include "verbs/gid.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "gids.hpp"

namespace railgauge {
namespace {

ibv_gid_entry entry(unsigned index, ibv_gid_type type, const char* address,
                    unsigned interface = 4) {
    return {gid_of(address), index, 1, type, interface};
}

/// As a ConnectX port has them: both types of each address; a VLAN at the end.
const std::vector<ibv_gid_entry> usual{entry(0, IBV_GID_TYPE_ROCE_V1, "fe80::1"),
                                       entry(1, IBV_GID_TYPE_ROCE_V2, "fe80::1"),
                                       entry(2, IBV_GID_TYPE_ROCE_V1, "::ffff:10.0.0.1"),
                                       entry(3, IBV_GID_TYPE_ROCE_V2, "::ffff:10.0.0.1"),
                                       entry(5, IBV_GID_TYPE_ROCE_V2, "2001:db8::1"),
                                       entry(7, IBV_GID_TYPE_ROCE_V2, "::ffff:10.1.0.1", 9)};

unsigned chosen(std::span<const ibv_gid_entry> entries, const GidWish& wish) {
    const auto found = choose_gid(entries, wish);
    return found ? found->gid_index : 999;
}

TEST(ChooseGidTest, takes_ipv4_else_ipv6_else_link_local_never_version_1) {
    EXPECT_EQ(chosen(usual, {}), 3u);
    const std::vector without_ipv4{usual[0], usual[1], usual[2], usual[4]};
    EXPECT_EQ(chosen(without_ipv4, {}), 5u);
    EXPECT_EQ(chosen(std::span(usual).first(3), {}), 1u);
    EXPECT_EQ(chosen(std::span(usual).first(1), {}), 999u);
}

TEST(ChooseGidTest, takes_the_kind_that_is_asked_for_or_none) {
    EXPECT_EQ(chosen(usual, {GidKind::ipv4, {}, 0}), 3u);
    EXPECT_EQ(chosen(usual, {GidKind::ipv6, {}, 0}), 5u);
    EXPECT_EQ(chosen(usual, {GidKind::link_local, {}, 0}), 1u);
    EXPECT_EQ(chosen(std::span(usual).first(4), {GidKind::ipv6, {}, 0}), 999u);
}

TEST(ChooseGidTest, takes_the_lowest_index_whatever_the_order) {
    const std::vector reversed(usual.rbegin(), usual.rend());
    EXPECT_EQ(chosen(reversed, {}), 3u);
}

TEST(ChooseGidTest, an_index_wins_over_the_kind_and_must_be_version_2) {
    EXPECT_EQ(chosen(usual, {GidKind::ipv4, 5, 0}), 5u);
    EXPECT_EQ(chosen(usual, {GidKind::best, 2, 0}), 999u);
    EXPECT_EQ(chosen(usual, {GidKind::best, 4, 0}), 999u);
}

TEST(ChooseGidTest, takes_one_of_the_interface_that_is_named_if_it_has_any) {
    EXPECT_EQ(chosen(usual, {GidKind::best, {}, 9}), 7u);
    EXPECT_EQ(chosen(usual, {GidKind::best, {}, 77}), 3u);
}

TEST(ChooseGidTest, skips_what_a_queue_pair_cannot_use) {
    const std::vector entries{entry(0, IBV_GID_TYPE_ROCE_V2, "::"),
                              entry(256, IBV_GID_TYPE_ROCE_V2, "::ffff:10.0.0.1")};
    EXPECT_EQ(chosen(entries, {}), 999u);
    EXPECT_EQ(chosen(entries, {GidKind::best, 256, 0}), 999u);
}

TEST(KindOfTest, knows_addresses_by_their_first_bits) {
    EXPECT_EQ(kind_of(gid_of("::ffff:1.2.3.4")), GidKind::ipv4);
    EXPECT_EQ(kind_of(gid_of("febf::1")), GidKind::link_local);
    EXPECT_EQ(kind_of(gid_of("fec0::1")), GidKind::ipv6);
    EXPECT_EQ(kind_of(gid_of("::1.2.3.4")), GidKind::ipv6);
}

TEST(GidKindNamedTest, knows_its_own_names_and_refuses_others) {
    for (const char* name : {"auto", "ipv4", "ipv6", "link-local"})
        EXPECT_EQ(name_of(gid_kind_named(name)), name);
    EXPECT_THROW(gid_kind_named("ipx"), Error);
}

TEST(DescribeGidsTest, shows_index_type_and_address_of_a_few) {
    EXPECT_EQ(describe_gids(std::span(usual).first(3)),
              "0 RoCE v1 fe80::1, 1 RoCE v2 fe80::1, 2 RoCE v1 10.0.0.1");
    const std::vector<ibv_gid_entry> many(40, usual[0]);
    EXPECT_THAT(describe_gids(many), testing::EndsWith("and 24 more"));
}

}  // namespace
}  // namespace railgauge
