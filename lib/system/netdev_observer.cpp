// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "system/observers.hpp"
#include "system/proc_files.hpp"

namespace railgauge {
namespace {

constexpr const char* path = "/proc/net/dev";

struct Field {
    std::size_t column;
    const char* name;
};

// Columns after the interface's name: eight of reception, eight of transmission.
constexpr std::array<Field, 8> fields{{{0, "rx_bytes"},
                                       {1, "rx_packets"},
                                       {2, "rx_errors"},
                                       {3, "rx_dropped"},
                                       {8, "tx_bytes"},
                                       {9, "tx_packets"},
                                       {10, "tx_errors"},
                                       {11, "tx_dropped"}}};

class NetdevObserver : public CaseObserver {
  public:
    void before() override { before_ = read(); }

    void after(Observations& observations) override {
        for (CounterRow& row : join_counters(before_, read(), 64))
            observations.counters.push_back(std::move(row));
    }

  private:
    static std::vector<CounterReading> read() {
        const auto text = read_small_file(path);
        return text ? parse_netdev(*text) : std::vector<CounterReading>{};
    }

    std::vector<CounterReading> before_;
};

}  // namespace

std::vector<CounterReading> parse_netdev(std::string_view text) {
    std::vector<CounterReading> readings;
    for (const std::string_view line : split_lines(text)) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const auto names = split_words(line.substr(0, colon));
        const auto values = split_words(line.substr(colon + 1));
        if (names.size() != 1) continue;
        for (const Field& field : fields) {
            const auto value =
                field.column < values.size() ? parse_number(values[field.column]) : std::nullopt;
            if (value)
                readings.push_back({std::string(names[0]), -1, "netdev", field.name, *value});
        }
    }
    return readings;
}

std::unique_ptr<CaseObserver> make_netdev_observer() {
    return std::make_unique<NetdevObserver>();
}

}  // namespace railgauge
