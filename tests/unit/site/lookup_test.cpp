// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "site/site.hpp"
#include "support.hpp"

namespace railgauge {
namespace {

class SiteTest : public testing::Test {
  protected:
    const Site site_ = parse_site(valid_site(), "site.toml");
};

TEST_F(SiteTest, keeps_what_the_file_says) {
    EXPECT_EQ(site_.name, "서울 2");
    EXPECT_EQ(site_.control_interface, "bond1");
    ASSERT_EQ(site_.groups.size(), 3u);
    EXPECT_EQ(site_.groups[0].gpus, 8);
    EXPECT_EQ(site_.groups[1].gpus, std::nullopt);
    EXPECT_EQ(site_.hosts.size(), 8u);
    EXPECT_EQ(site_.leaves.size(), 2u);
}

TEST_F(SiteTest, has_rails_by_index_whatever_their_order_in_the_file) {
    ASSERT_EQ(site_.rails.size(), 2u);
    EXPECT_EQ(site_.rails[0].name, "rail 0");
    EXPECT_EQ(site_.rails[1].name, "rail 1");
}

TEST_F(SiteTest, finds_the_group_of_a_host_with_or_without_its_domain) {
    EXPECT_EQ(site_.group_of("gpu02.cluster.example"), &site_.groups[0]);
    EXPECT_EQ(site_.group_of("노드2"), &site_.groups[0]);
    EXPECT_EQ(site_.group_of("storage1"), &site_.groups[1]);
    EXPECT_EQ(site_.group_of("gpu05"), nullptr);
}

TEST_F(SiteTest, finds_the_rail_of_an_rdma_or_network_device) {
    EXPECT_EQ(site_.rail_of_device("gpu01", "mlx5_3"), 0);
    EXPECT_EQ(site_.rail_of_device("gpu01", "rdma0"), 0);
    EXPECT_EQ(site_.rail_of_device("gpu01", "mlx5_4"), 1);
    EXPECT_EQ(site_.rail_of_device("gpu01", "mlx5_0"), std::nullopt);
    EXPECT_EQ(site_.rail_of_device("storage1", "rdma0"), std::nullopt);
    EXPECT_EQ(site_.rail_of_device("compute1", ""), std::nullopt);
    EXPECT_EQ(site_.rail_of_device("elsewhere", "mlx5_3"), std::nullopt);
}

TEST_F(SiteTest, finds_the_plane_of_a_rail) {
    EXPECT_EQ(site_.plane_of(0)->name, "A");
    EXPECT_EQ(site_.plane_of(1)->name, "B");
    EXPECT_EQ(site_.plane_of(2), nullptr);
    EXPECT_EQ(site_.plane_of(-1), nullptr);
}

TEST_F(SiteTest, takes_a_ports_rate_and_mtu_from_its_rail_unless_it_has_its_own) {
    EXPECT_EQ(site_.rate_gbit_per_s("gpu01", 0), 400);
    EXPECT_EQ(site_.rate_gbit_per_s("gpu01", 1), 100);
    EXPECT_EQ(site_.rate_gbit_per_s("storage1", 0), std::nullopt);
    EXPECT_EQ(site_.rate_gbit_per_s("gpu01", -1), std::nullopt);
    EXPECT_EQ(site_.port_of("gpu01", 0)->mtu_bytes, 9000);
    EXPECT_EQ(site_.port_of("gpu01", 1)->mtu_bytes, 4200);
}

TEST_F(SiteTest, finds_the_leaf_that_carries_a_hosts_rail) {
    EXPECT_EQ(site_.leaf_of("gpu01", 0), &site_.leaves[0]);
    EXPECT_EQ(site_.leaf_of("gpu02.x", 1), &site_.leaves[0]);
    EXPECT_EQ(site_.leaf_of("gpu03", 0), &site_.leaves[1]);  // by its plane
    EXPECT_EQ(site_.leaf_of("gpu03", 1), nullptr);
    EXPECT_EQ(site_.leaf_of("gpu04", 0), nullptr);
    EXPECT_EQ(site_.leaf_of("elsewhere", 0), nullptr);
}

TEST_F(SiteTest, stays_right_when_it_is_copied_and_moved) {
    Site copy = site_;
    const Site moved = std::move(copy);
    EXPECT_EQ(moved.group_of("storage1"), &moved.groups[1]);
}

TEST_F(SiteTest, has_no_control_interface_where_it_is_shared) {
    const Site shared = parse_site(changed_site("\"bond1\"", "\"shared\""), "site.toml");
    EXPECT_EQ(shared.control_interface, std::nullopt);
}

TEST_F(SiteTest, becomes_json_with_ranges_expanded_and_defaults_filled_in) {
    const auto json = nlohmann::json::parse(site_json(site_));
    EXPECT_EQ(json["format"], 1);
    EXPECT_EQ(json["name"], "서울 2");
    EXPECT_EQ(json["control_interface"], "bond1");
    EXPECT_EQ(json["rails"][0],
              nlohmann::json::parse(R"({"index": 0, "name": "rail 0", "plane": "A",
                                        "rate_gbit_per_s": 400.0, "mtu_bytes": 9000})"));
    const auto& gpu = json["groups"][0];
    EXPECT_EQ(gpu["hosts"], (nlohmann::json{"gpu01", "gpu02", "gpu03", "gpu04",
                                            "노드1.cluster.example", "노드2.cluster.example"}));
    EXPECT_EQ(gpu["ports"][0], nlohmann::json::parse(
                                   R"({"rail": 0, "plane": "A", "rdma": "mlx5_3", "netdev": "rdma0",
                                        "rate_gbit_per_s": 400.0, "mtu_bytes": 9000})"));
    EXPECT_EQ(json["groups"][1]["ports"][0],
              nlohmann::json::parse(R"({"rail": null, "plane": "A", "rdma": null, "netdev": "rdma0",
                                        "rate_gbit_per_s": 50.5, "mtu_bytes": null})"));
    EXPECT_EQ(json["groups"][2],
              nlohmann::json::parse(
                  R"({"name": "compute", "hosts": ["compute1"], "gpus": null, "ports": []})"));
    EXPECT_EQ(json["leaves"][1],
              nlohmann::json::parse(R"({"name": "leaf 2", "nodes": ["gpu03", "storage1"],
                                        "rails": [], "planes": ["A"]})"));
}

TEST_F(SiteTest, says_shared_in_json) {
    const Site shared = parse_site(changed_site("\"bond1\"", "\"shared\""), "site.toml");
    EXPECT_EQ(nlohmann::json::parse(site_json(shared))["control_interface"], "shared");
}

}  // namespace
}  // namespace railgauge
