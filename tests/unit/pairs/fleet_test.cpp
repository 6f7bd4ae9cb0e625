// SPDX-License-Identifier: Apache-2.0
#include "pairs/fleet.hpp"

#include <gmock/gmock.h>

#include "support.hpp"

namespace railgauge {
namespace {

using ::testing::ElementsAre;
using testing::even_fleet;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_rail_placement;
using testing::refusal;
using testing::two_planes_two_leaves;

TEST(FleetTest, ranks_that_share_a_node_and_a_rail_are_its_lanes) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1, 0, 1}, {0, 1, 0, 1}}), nullptr);
    EXPECT_THAT(fleet.rails(), ElementsAre(0, 1));
    EXPECT_THAT(fleet.ranks_on(1, 0), ElementsAre(4, 6));
    EXPECT_THAT(fleet.ranks_on(1, 7), IsEmpty());
    EXPECT_EQ(fleet.describe(1, 0), "n1 rail 0");
    EXPECT_THAT(describe_unevenness(fleet, nullptr), IsEmpty());
}

TEST(FleetTest, without_a_rail_map_all_ranks_of_a_node_are_lanes) {
    const Fleet fleet = make_fleet(make_rail_placement({{-1, -1}, {-1, -1}}), nullptr);
    EXPECT_THAT(fleet.rails(), ElementsAre(no_rail));
    EXPECT_THAT(fleet.ranks_on(1, no_rail), ElementsAre(2, 3));
    EXPECT_EQ(fleet.describe(1, no_rail), "n1");
    EXPECT_THAT(describe_unevenness(fleet, nullptr), ElementsAre(HasSubstr("have no rails")));
}

TEST(FleetTest, a_map_that_gives_only_some_ranks_a_rail_is_refused) {
    EXPECT_THAT(refusal([] {
                    make_fleet(make_rail_placement({{0, 1}, {0, -1}}), nullptr);
                }),
                HasSubstr("rank 3 on n1 has no rail"));
}

TEST(FleetTest, the_site_file_numbers_the_rails) {
    const Site site = two_planes_two_leaves();
    Placement placement = make_rail_placement({{0, 1}, {0, 1}});
    for (auto& rank : placement.ranks)  // as a rail map that lists only these two counts them
        rank.nic = rank.rail == 0 ? "rail2" : "rail3";
    EXPECT_THAT(make_fleet(placement, &site).rails(), ElementsAre(2, 3));
}

TEST(FleetTest, a_nic_that_the_site_file_does_not_know_is_refused) {
    const Site site = two_planes_two_leaves();
    Placement placement = make_rail_placement({{0, 1}, {0, 1}});
    placement.ranks[3].nic = "eth9";
    EXPECT_THAT(refusal([&] { make_fleet(placement, &site); }),
                HasSubstr("rank 3 on n1 uses the NIC eth9 (the site file puts it on no rail)"));
}

TEST(FleetTest, ranks_that_do_not_divide_by_rails_are_named) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1, 0}, {0, 1, 0}}), nullptr);
    EXPECT_THAT(describe_unevenness(fleet, nullptr),
                ElementsAre(HasSubstr("2 on rail 0, 1 on rail 1 on every node")));
}

TEST(FleetTest, nodes_that_differ_are_named) {
    const Fleet fleet = make_fleet(make_rail_placement({{0, 1}, {0, 1}, {0}}), nullptr);
    EXPECT_THAT(describe_unevenness(fleet, nullptr),
                ElementsAre(HasSubstr("ranks of n2 (1 on rail 0, 0 on rail 1) do not match")));
}

TEST(FleetTest, rails_of_the_site_file_that_nobody_is_on_are_named) {
    const Site site = two_planes_two_leaves();
    EXPECT_THAT(describe_unevenness(even_fleet(4, 3), &site),
                ElementsAre(HasSubstr("no rank is on rail 3")));
}

TEST(FleetTest, ranks_without_a_link_are_no_lanes_and_are_named) {
    Placement placement = make_rail_placement({{0, 1}, {0, 1}, {0, 1}});
    placement.ranks[1].rail_is_dead = placement.ranks[5].rail_is_dead = true;
    const Fleet fleet = make_fleet(placement, nullptr);
    EXPECT_THAT(fleet.ranks_on(0, 1), IsEmpty());
    EXPECT_THAT(fleet.ranks_on(1, 1), ElementsAre(3));
    EXPECT_THAT(fleet.rails(), ElementsAre(0, 1));
    EXPECT_THAT(describe_unevenness(fleet, nullptr),
                ElementsAre("no link on n0 rail 1, n2 rail 1: pairs there are not measured"));
}

TEST(FleetTest, hosts_are_found_by_name) {
    const Fleet fleet = even_fleet(3, 1);
    EXPECT_EQ(fleet.find_host("n2"), 2);
    EXPECT_THAT(refusal([&] { fleet.find_host("n3"); }), HasSubstr("its nodes are n0, n1, n2"));
}

}  // namespace
}  // namespace railgauge
