// SPDX-License-Identifier: Apache-2.0
#include "system/rdma_devices.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "rdma_tree.hpp"
#include "system/rdma_facts.hpp"

namespace railgauge {
namespace {

using nlohmann::json;

/// A port of a ConnectX that does RoCE.
void write_mlx5(const RdmaTree& tree) {
    tree.place("mlx5_0", "0000:1b:00.0", "mlx5_core");
    tree.link("devices/pci0000:16/0000:1b:00.0/mlx5_core.rdma.0/driver",
              "bus/auxiliary/drivers/mlx5_ib.rdma");
    tree.write("devices/pci0000:16/0000:1b:00.0/numa_node", "1\n");
    tree.write_all(tree.path("class/infiniband/mlx5_0"), {{"hca_type", "MT4129"},
                                                          {"node_guid", "506b:4b03:00c3:abcd"},
                                                          {"board_id", "MT_0000000838"},
                                                          {"fw_ver", "28.39.1002"}});
    tree.write_all(tree.port("mlx5_0"), {{"link_layer", "Ethernet"},
                                         {"state", "4: ACTIVE"},
                                         {"phys_state", "5: LinkUp"},
                                         {"rate", "400 Gb/sec (4X NDR)"},
                                         {"lid", "0x0"},
                                         {"sm_lid", "0x0"}});
    tree.write_all(tree.port("mlx5_0") / "gids",
                   {{"0", "fe80:0000:0000:0000:526b:4bff:fec3:abcd"},
                    {"1", "0000:0000:0000:0000:0000:0000:0000:0000"},
                    {"10", "0000:0000:0000:0000:0000:ffff:0a4d:0001"},
                    {"3", "fe80:0000:0000:0000:526b:4bff:fec3:abcd"}});
    tree.write_all(tree.port("mlx5_0") / "gid_attrs/types",
                   {{"0", "IB/RoCE v1"}, {"3", "RoCE v2"}, {"10", "RoCE v2"}});
    tree.write_all(tree.port("mlx5_0") / "gid_attrs/ndevs", {{"0", "ens1"}, {"3", "ens1"}});
    tree.write("class/net/ens1/mtu", "9000\n");
}

TEST(RdmaFactsTest, say_everything_of_a_roce_port) {
    const RdmaTree tree;
    write_mlx5(tree);
    EXPECT_EQ(rdma_facts(tree.class_folder()), json::parse(R"json({"rdma_devices": [{
        "name": "mlx5_0", "driver": "mlx5_core", "rdma_driver": "mlx5_ib", "model": "MT4129",
        "node_guid": "506b:4b03:00c3:abcd", "board_id": "MT_0000000838", "firmware": "28.39.1002",
        "pci": "0000:1b:00.0", "numa_node": 1,
        "ports": [{"port": 1, "link_layer": "Ethernet", "state": "ACTIVE", "phys_state": "LinkUp",
            "rate": "400 Gb/sec (4X NDR)", "rate_gbps": 400.0, "netdev_mtu": 9000,
            "active_mtu": 4096, "lid": 0, "sm_lid": 0, "gid_count": 3, "gids": [
                {"index": 0, "gid": "fe80:0000:0000:0000:526b:4bff:fec3:abcd",
                 "type": "IB/RoCE v1", "netdev": "ens1"},
                {"index": 3, "gid": "fe80:0000:0000:0000:526b:4bff:fec3:abcd",
                 "type": "RoCE v2", "netdev": "ens1"},
                {"index": 10, "gid": "0000:0000:0000:0000:0000:ffff:0a4d:0001",
                 "type": "RoCE v2"}]}]}]})json"));
}

TEST(RdmaDevicesTest, an_infiniband_port_has_its_lids_and_no_mtu_of_an_interface) {
    const RdmaTree tree;
    tree.write_all(tree.port("mlx5_4"), {{"link_layer", "InfiniBand"},
                                         {"state", "2: INIT"},
                                         {"rate", "2.5 Gb/sec (1X SDR)"},
                                         {"lid", "0x1f"},
                                         {"sm_lid", "0xc001"}});
    tree.write(tree.port("mlx5_4") / "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001\n");
    tree.write(tree.port("mlx5_4") / "gid_attrs/ndevs/0", "ib0\n");
    tree.write("class/net/ib0/mtu", "4092\n");
    const RdmaPort port = read_rdma_devices(tree.class_folder())->at(0).ports.at(0);
    EXPECT_EQ(port.lid, 31u);
    EXPECT_EQ(port.sm_lid, 0xc001u);
    EXPECT_EQ(port.state, "INIT");
    EXPECT_EQ(port.rate_gbps, 2.5);
    EXPECT_EQ(port.netdev_mtu, 4092u);
    EXPECT_FALSE(port.active_mtu.has_value());
}

TEST(RdmaDevicesTest, the_driver_of_rdma_is_told_beside_that_of_the_nic) {
    const RdmaTree tree;
    tree.place("irdma0", "0000:31:00.1", "ice");
    tree.link("devices/pci0000:16/0000:31:00.1/ice.roce.1/driver",
              "bus/auxiliary/drivers/irdma.roce");
    tree.write("devices/pci0000:16/0000:31:00.1/numa_node", "-1\n");
    const RdmaDevice device = read_rdma_devices(tree.class_folder())->at(0);
    EXPECT_EQ(device.driver, "ice");
    EXPECT_EQ(device.rdma_driver, "irdma");
    EXPECT_EQ(device.pci, "0000:31:00.1");
    EXPECT_FALSE(device.numa_node.has_value());
}

TEST(RdmaDevicesTest, a_device_on_an_auxiliary_one_has_the_place_of_the_nic) {
    const RdmaTree tree;
    const std::string pci = "devices/pci0000:16/0000:31:00.0";
    tree.link("class/infiniband/irdma0/device", pci + "/ice.roce.0");
    tree.link(pci + "/ice.roce.0/driver", "bus/auxiliary/drivers/irdma.gen_2");
    tree.link(pci + "/driver", "bus/pci/drivers/ice");
    tree.write(pci + "/numa_node", "0\n");
    const RdmaDevice device = read_rdma_devices(tree.class_folder())->at(0);
    EXPECT_EQ(device.driver, "ice");
    EXPECT_EQ(device.rdma_driver, "irdma");
    EXPECT_EQ(device.pci, "0000:31:00.0");
    EXPECT_EQ(device.numa_node, 0u);
}

TEST(RdmaDevicesTest, rxe_is_known_without_a_device_below_it) {
    const RdmaTree tree;
    tree.write("class/infiniband/rxe0/parent", "rail0\n");
    tree.write("class/infiniband/other/node_desc", "a host\n");
    const auto devices = *read_rdma_devices(tree.class_folder());
    EXPECT_FALSE(devices.at(0).driver.has_value());
    EXPECT_EQ(devices.at(1).driver, "rxe");
    EXPECT_FALSE(devices.at(1).pci.has_value());
}

TEST(RdmaDevicesTest, come_in_the_order_of_their_numbers) {
    const RdmaTree tree;
    for (const char* name : {"mlx5_10", "mlx5_2", "mlx5_bond_0", "irdma1"})
        tree.write(tree.path("class/infiniband") / name / "fw_ver", "1\n");
    std::vector<std::string> names;
    const auto devices = read_rdma_devices(tree.class_folder()).value();
    for (const RdmaDevice& device : devices)
        names.push_back(device.name);
    EXPECT_EQ(names, (std::vector<std::string>{"irdma1", "mlx5_2", "mlx5_10", "mlx5_bond_0"}));
}

TEST(RdmaDevicesTest, a_kernel_without_rdma_has_no_fact_and_one_without_devices_an_empty_list) {
    const RdmaTree tree;
    EXPECT_EQ(rdma_facts(tree.class_folder()), json::parse(R"({"rdma_devices": []})"));
    EXPECT_EQ(rdma_facts(tree.path("nothing")), json::object());
}

TEST(RdmaDevicesTest, hostile_texts_become_one_short_line_or_nothing) {
    const RdmaTree tree;
    const std::string folder = "class/infiniband/mlx5_0/";
    tree.write(folder + "fw_ver", "1.2\x1b[31m\xff\r\nsecond line\n");
    tree.write(folder + "board_id", std::string(1 << 20, 'x'));
    tree.write(folder + "hca_type", std::string(1 << 20, '\x80'));
    tree.write(folder + "node_guid", " \n");
    tree.write_all(tree.port("mlx5_0"), {{"rate", "lots Gb/sec"},
                                         {"lid", "31"},
                                         {"sm_lid", "0x1ffffffffffffffff"},
                                         {"state", ": :"}});
    tree.write(tree.port("mlx5_0") / "gids/0", "fe80::1\n");
    tree.write(tree.port("mlx5_0") / "gids/x", "fe80::1\n");
    tree.write(tree.port("mlx5_0") / "gid_attrs/ndevs/0", "../../secret\n");
    tree.write("secret/mtu", "9000\n");
    tree.write("class/infiniband/mlx5_0/ports/one/rate", "1\n");
    const RdmaDevice device = read_rdma_devices(tree.class_folder())->at(0);
    EXPECT_EQ(device.firmware, "1.2?[31m?");
    EXPECT_EQ(device.board_id->size(), 256u);
    EXPECT_EQ(device.model, std::string(256, '?'));
    EXPECT_FALSE(device.node_guid.has_value());
    ASSERT_EQ(device.ports.size(), 1u);
    const RdmaPort& port = device.ports[0];
    EXPECT_FALSE(port.rate_gbps.has_value());
    EXPECT_FALSE(port.lid.has_value());
    EXPECT_FALSE(port.sm_lid.has_value());
    EXPECT_FALSE(port.netdev_mtu.has_value());
    EXPECT_EQ(port.state, ": :");
    EXPECT_EQ(port.gid_count, 1u);
}

TEST(RdmaDevicesTest, what_is_no_regular_file_is_absent) {
    const RdmaTree tree;
    const auto folder = tree.path("class/infiniband/mlx5_0");
    std::filesystem::create_directories(folder / "fw_ver");
    std::filesystem::create_symlink("board_id", folder / "board_id");
    ASSERT_EQ(mkfifo((folder / "node_guid").c_str(), 0600), 0);
    const RdmaDevice device = read_rdma_devices(tree.class_folder())->at(0);
    EXPECT_FALSE(device.firmware.has_value());
    EXPECT_FALSE(device.board_id.has_value());
    EXPECT_FALSE(device.node_guid.has_value());
}

TEST(RdmaDevicesTest, many_gids_are_counted_and_the_first_listed) {
    const RdmaTree tree;
    for (int i = 0; i < 100; ++i)
        tree.write(tree.port("mlx5_0") / "gids" / std::to_string(i), "fe80::1\n");
    const RdmaPort port = read_rdma_devices(tree.class_folder())->at(0).ports.at(0);
    EXPECT_EQ(port.gid_count, 100u);
    ASSERT_EQ(port.gids.size(), 64u);
    EXPECT_EQ(port.gids.back().index, 63u);
}

TEST(PathMtuTest, is_told_only_where_every_driver_agrees) {
    EXPECT_EQ(path_mtu(9000), 4096u);
    EXPECT_EQ(path_mtu(4192), 4096u);
    EXPECT_EQ(path_mtu(4191), std::nullopt);
    EXPECT_EQ(path_mtu(4095), 2048u);
    EXPECT_EQ(path_mtu(1500), 1024u);
    EXPECT_EQ(path_mtu(300), std::nullopt);
    EXPECT_EQ(path_mtu(68), std::nullopt);
}

}  // namespace
}  // namespace railgauge
