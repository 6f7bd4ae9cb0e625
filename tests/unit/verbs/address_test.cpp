// SPDX-License-Identifier: Apache-2.0
#include "verbs/address.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "gids.hpp"

namespace railgauge {
namespace {

constexpr PathSource source{2, 3, 104, 5};

PathEnd roce(const char* address) {
    return {LinkLayer::ethernet, 0, gid_of(address), false};
}

PathEnd infiniband(const char* gid, std::uint16_t lid) {
    return {LinkLayer::infiniband, lid, gid_of(gid), false};
}

TEST(MakeAddressTest, roce_is_reached_by_gid_with_traffic_class_and_hops) {
    const PathEnd theirs = roce("::ffff:10.0.0.2");
    const ibv_ah_attr address = make_address(roce("::ffff:10.0.0.1"), theirs, source);
    EXPECT_EQ(address.is_global, 1);
    EXPECT_EQ(std::memcmp(address.grh.dgid.raw, theirs.gid.raw, 16), 0);
    EXPECT_EQ(address.grh.sgid_index, 3);
    EXPECT_EQ(address.grh.traffic_class, 104);
    EXPECT_GT(address.grh.hop_limit, 1);
    EXPECT_EQ(address.dlid, 0);
    EXPECT_EQ(address.sl, 5);
    EXPECT_EQ(address.port_num, 2);
}

TEST(MakeAddressTest, roce_needs_a_global_header_within_one_subnet_too) {
    const ibv_ah_attr address = make_address(roce("fe80::1"), roce("fe80::2"), source);
    EXPECT_EQ(address.is_global, 1);
}

TEST(MakeAddressTest, infiniband_within_a_subnet_is_reached_by_lid_alone) {
    const ibv_ah_attr address =
        make_address(infiniband("fe80::1", 7), infiniband("fe80::2", 9), source);
    EXPECT_EQ(address.is_global, 0);
    EXPECT_EQ(address.dlid, 9);
    EXPECT_EQ(address.sl, 5);
    EXPECT_EQ(address.port_num, 2);
    EXPECT_EQ(address.src_path_bits, 0);
}

TEST(MakeAddressTest, infiniband_of_another_subnet_is_reached_through_a_router) {
    const PathEnd theirs = infiniband("fec0:0:0:2::2", 9);
    const ibv_ah_attr address = make_address(infiniband("fec0:0:0:1::1", 7), theirs, source);
    EXPECT_EQ(address.is_global, 1);
    EXPECT_EQ(address.dlid, 9);
    EXPECT_EQ(std::memcmp(address.grh.dgid.raw, theirs.gid.raw, 16), 0);
    EXPECT_GT(address.grh.hop_limit, 1);
}

TEST(MakeAddressTest, infiniband_ports_that_want_a_global_header_get_one) {
    const PathEnd plain = infiniband("fe80::1", 7);
    PathEnd wanting = infiniband("fe80::2", 9);
    wanting.needs_global_header = true;
    EXPECT_EQ(make_address(plain, wanting, source).is_global, 1);
    EXPECT_EQ(make_address(wanting, plain, source).is_global, 1);
}

}  // namespace
}  // namespace railgauge
