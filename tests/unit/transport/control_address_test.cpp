// SPDX-License-Identifier: Apache-2.0
#include "transport/control_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control_ends.hpp"

namespace railgauge {
namespace {

using ::testing::HasSubstr;
using namespace testing;

std::string parsed(std::string_view text) {
    return parse_control_address(text, "--served").text();
}

TEST(ControlAddressTest, is_a_host_with_or_without_a_port) {
    EXPECT_EQ(parsed("storage1"), "storage1:7471");
    EXPECT_EQ(parsed("10.0.0.3:0"), "10.0.0.3:0");
    EXPECT_EQ(parsed("[fd00::1]"), "[fd00::1]:7471");
    EXPECT_EQ(parsed("[fd00::1%eth0]:65535"), "[fd00::1%eth0]:65535");
}

TEST(ControlAddressTest, anything_else_is_refused_naming_the_option) {
    for (const char* text :
         {"", ":7471", "[]:1", "[::1", "[::1]1", "h:", "h:x", "h:65536", "h:-1", "h:1x", "fd00::1"})
        EXPECT_THAT(error_of([&] { parsed(text); }), HasSubstr("--served '")) << text;
}

TEST(ControlAddressTest, who_connects_to_a_listener_finds_it) {
    const ControlListener listener = listen_at({"127.0.0.1", 0});
    EXPECT_NE(listener.at.port, 0);
    EXPECT_FALSE(accept_client(listener, -1).has_value());
    ControlChannel client = connect_to(listener.at, soon());
    std::optional<ControlChannel> server = accept_client(listener, -1);
    ASSERT_TRUE(server.has_value());
    client.send(bytes_of("hello"), soon());
    EXPECT_EQ(text_of(server->receive(soon())), "hello");
}

TEST(ControlAddressTest, a_port_without_a_server_is_named) {
    ControlAddress nobody;
    { nobody = listen_at({"127.0.0.1", 0}).at; }
    EXPECT_THAT(
        error_of([&] { connect_to(nobody, soon()); }),
        HasSubstr("the server " + nobody.text() + " cannot be reached (Connection refused)"));
}

}  // namespace
}  // namespace railgauge
