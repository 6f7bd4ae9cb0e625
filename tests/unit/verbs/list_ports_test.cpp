// SPDX-License-Identifier: Apache-2.0
#include "verbs/list_ports.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railgauge {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// A folder that stands for `/`.
class ListPortsTest : public testing::Test {
  protected:
    ListPortsTest() {
        std::string name = (fs::temp_directory_path() / "railgauge-sys-XXXXXX").string();
        root_ = mkdtemp(name.data());
    }
    ~ListPortsTest() override { fs::remove_all(root_); }

    void write(const fs::path& file, const std::string& text) {
        const fs::path path = root_ / "sys/class/infiniband" / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }

    fs::path root_;
};

TEST_F(ListPortsTest, a_node_without_devices_has_none) {
    EXPECT_TRUE(list_ports(root_).empty());
}

TEST_F(ListPortsTest, shows_state_and_every_interface_once) {
    write("rxe0/ports/1/state", "4: ACTIVE\n");
    write("rxe0/ports/1/gid_attrs/ndevs/0", "rail0\n");
    write("rxe0/ports/1/gid_attrs/ndevs/1", "rail0\n");
    write("rxe0/ports/1/gid_attrs/ndevs/2", "rail0.7\n");
    write("rxe0/ports/1/gid_attrs/ndevs/3", "");
    write("mlx5_0/ports/1/state", "1: DOWN\n");
    const std::vector<ListedPort> ports = list_ports(root_);
    ASSERT_EQ(ports.size(), 2u);
    EXPECT_EQ(ports[0].device, "mlx5_0");
    EXPECT_FALSE(ports[0].is_active);
    EXPECT_TRUE(ports[0].interfaces.empty());
    EXPECT_TRUE(ports[1].is_active);
    EXPECT_THAT(ports[1].interfaces, ElementsAre("rail0", "rail0.7"));
}

TEST_F(ListPortsTest, interfaces_of_the_bus_address_belong_to_the_port_of_their_number) {
    write("mlx4_0/ports/1/state", "4: ACTIVE\n");
    write("mlx4_0/ports/2/state", "4: ACTIVE\n");
    write("mlx4_0/device/net/ib0/dev_port", "0\n");
    write("mlx4_0/device/net/ib1/dev_port", "1\n");
    const std::vector<ListedPort> ports = list_ports(root_);
    ASSERT_EQ(ports.size(), 2u);
    EXPECT_THAT(ports[0].interfaces, ElementsAre("ib0"));
    EXPECT_THAT(ports[1].interfaces, ElementsAre("ib1"));
}

}  // namespace
}  // namespace railgauge
