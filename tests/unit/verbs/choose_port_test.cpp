// SPDX-License-Identifier: Apache-2.0
#include "verbs/choose_port.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<ListedPort> ports{{"mlx5_0", 1, false, {"rdma0"}},
                                    {"mlx5_0", 2, true, {"rdma1", "rdma1.100"}},
                                    {"mlx5_1", 1, true, {"ib0"}}};

std::string chosen(std::span<const ListedPort> from, const PortWish& wish) {
    const ChosenPort port = choose_port(from, wish);
    return port.device + ":" + std::to_string(port.number) + " " + port.interface;
}

std::string refusal(std::span<const ListedPort> from, const PortWish& wish) {
    try {
        return chosen(from, wish);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

TEST(ChoosePortTest, a_device_is_its_first_active_port) {
    EXPECT_EQ(chosen(ports, {"mlx5_0", "--device"}), "mlx5_0:2 ");
    EXPECT_EQ(chosen(std::span(ports).first(1), {"mlx5_0", "--device"}), "mlx5_0:1 ");
}

TEST(ChoosePortTest, a_port_is_named_by_its_number) {
    EXPECT_EQ(chosen(ports, {"mlx5_0:1", "--device"}), "mlx5_0:1 ");
}

TEST(ChoosePortTest, an_interface_is_the_port_below_it) {
    EXPECT_EQ(chosen(ports, {"rdma1.100", "--device"}), "mlx5_0:2 rdma1.100");
    EXPECT_EQ(chosen(ports, {"ib0", "RAILGAUGE_NIC"}), "mlx5_1:1 ib0");
}

TEST(ChoosePortTest, without_a_name_it_is_the_only_active_port) {
    EXPECT_EQ(chosen(std::span(ports).first(2), {}), "mlx5_0:2 ");
    EXPECT_THAT(refusal(ports, {}),
                AllOf(HasSubstr("2 RDMA ports are active"), HasSubstr("mlx5_1:1 (ib0, active)"),
                      HasSubstr("mlx5_0:1 (rdma0, not active)")));
    EXPECT_THAT(refusal({}, {}), HasSubstr("this node has no RDMA device"));
}

TEST(ChoosePortTest, an_unknown_name_is_refused_with_who_gave_it_and_the_choices) {
    EXPECT_THAT(refusal(ports, {"mlx5_7", "RAILGAUGE_NIC"}),
                AllOf(HasSubstr("RAILGAUGE_NIC names 'mlx5_7'"), HasSubstr("mlx5_0:2")));
    EXPECT_THAT(refusal(ports, {"mlx5_0:3", "--device"}), HasSubstr("names 'mlx5_0:3'"));
}

TEST(PortWishTest, the_option_wins_over_the_rails_variable) {
    setenv("RAILGAUGE_NIC", "rdma3", 1);
    EXPECT_EQ(port_wish("mlx5_0").name, "mlx5_0");
    EXPECT_EQ(port_wish("").name, "rdma3");
    unsetenv("RAILGAUGE_NIC");
    EXPECT_EQ(port_wish("").name, "");
}

}  // namespace
}  // namespace railgauge
