// SPDX-License-Identifier: Apache-2.0
#include "system/observers.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace railgauge {
namespace {

constexpr const char* netdev =
    R"(Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1000      10    0    0    0     0          0         0     1000      10    0    0    0     0       0          0
 rail0:18446744073709551615 20 1 2 0 0 0 0 3000 30 4 5 0 0 0 0
   bad: 1 2 three
)";

std::uint64_t value(const std::vector<CounterReading>& readings, const std::string& device,
                    const std::string& name) {
    const auto found =
        std::find_if(readings.begin(), readings.end(), [&](const CounterReading& reading) {
            return reading.device == device && reading.name == name;
        });
    EXPECT_NE(found, readings.end()) << device << " " << name;
    return found == readings.end() ? 0 : found->value;
}

TEST(ParseNetdevTest, reads_both_directions_of_every_interface) {
    const auto readings = parse_netdev(netdev);
    EXPECT_EQ(value(readings, "rail0", "rx_bytes"), 18446744073709551615u);
    EXPECT_EQ(value(readings, "rail0", "rx_dropped"), 2u);
    EXPECT_EQ(value(readings, "rail0", "tx_bytes"), 3000u);
    EXPECT_EQ(value(readings, "rail0", "tx_errors"), 4u);
    EXPECT_EQ(value(readings, "lo", "tx_packets"), 10u);
}

TEST(ParseNetdevTest, leaves_out_what_it_cannot_read) {
    EXPECT_EQ(parse_netdev(netdev).size(), 8u + 8u + 2u);
    EXPECT_TRUE(parse_netdev("").empty());
    EXPECT_TRUE(parse_netdev("garbage\n:::\n").empty());
}

TEST(ParseCpuTest, reads_the_sum_of_all_cpus_and_the_totals) {
    const auto readings =
        parse_cpu("cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 9 9 9 9\nintr 77 1 2\nctxt 88\nsoftirq 99 1\n");
    EXPECT_EQ(value(readings, "cpu", "user_ticks"), 1u);
    EXPECT_EQ(value(readings, "cpu", "softirq_ticks"), 7u);
    EXPECT_EQ(value(readings, "cpu", "ctxt"), 88u);
    EXPECT_EQ(value(readings, "cpu", "intr"), 77u);
    EXPECT_EQ(readings.size(), 8u + 3u);
}

TEST(DefaultObserversTest, see_this_machine_move) {
    Observations observations;
    for (const auto& observer : make_default_observers()) {
        observer->before();
        observer->after(observations);
    }
    EXPECT_FALSE(observations.counters.empty());
    EXPECT_FALSE(observations.gauges.empty());
    for (const CounterRow& row : observations.counters)
        EXPECT_EQ(row.status, CounterStatus::ok) << row.name;
}

}  // namespace
}  // namespace railgauge
