// SPDX-License-Identifier: Apache-2.0
#include "measure/observer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

namespace railgauge {
namespace {

using Identity = std::tuple<std::string, int, std::string, std::string>;

Identity identity(const CounterReading& reading) {
    return {reading.device, reading.port, reading.source, reading.name};
}

CounterRow row(const CounterReading& reading, std::uint64_t before, std::uint64_t after,
               CounterStatus status) {
    return {reading.device, reading.port, reading.source, reading.name, before, after, status};
}

CounterStatus judge(std::uint64_t before, std::uint64_t after, int width_bits) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = width_bits >= 64 ? most : (std::uint64_t{1} << width_bits) - 1;
    if (std::max(before, after) > largest) largest = most;
    if (before == largest || after == largest) return CounterStatus::saturated;
    return after < before ? CounterStatus::wrapped : CounterStatus::ok;
}

}  // namespace

std::string_view to_text(CounterStatus status) {
    constexpr std::array<std::string_view, 5> names{"ok", "saturated", "wrapped", "vanished",
                                                    "appeared"};
    return names.at(static_cast<std::size_t>(status));
}

std::vector<CounterRow> join_counters(const std::vector<CounterReading>& before,
                                      const std::vector<CounterReading>& after, int width_bits) {
    return join_counters(before, after, [=](const CounterReading&) { return width_bits; });
}

std::vector<CounterRow> join_counters(const std::vector<CounterReading>& before,
                                      const std::vector<CounterReading>& after,
                                      const std::function<int(const CounterReading&)>& width_bits) {
    std::map<Identity, std::uint64_t> later;
    for (const CounterReading& reading : after)
        later.emplace(identity(reading), reading.value);
    std::vector<CounterRow> rows;
    for (const CounterReading& reading : before) {
        const auto found = later.find(identity(reading));
        if (found == later.end()) {
            rows.push_back(row(reading, reading.value, 0, CounterStatus::vanished));
            continue;
        }
        rows.push_back(row(reading, reading.value, found->second,
                           judge(reading.value, found->second, width_bits(reading))));
        later.erase(found);
    }
    for (const CounterReading& reading : after) {
        if (later.contains(identity(reading)))
            rows.push_back(row(reading, 0, reading.value, CounterStatus::appeared));
    }
    return rows;
}

}  // namespace railgauge
