// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include "measure/clock.hpp"
#include "system/observers.hpp"
#include "system/proc_files.hpp"

namespace railgauge {
namespace {

constexpr const char* stat_path = "/proc/stat";
constexpr const char* load_path = "/proc/loadavg";
constexpr std::array<const char*, 8> classes{"user_ticks",    "nice_ticks",   "system_ticks",
                                             "idle_ticks",    "iowait_ticks", "irq_ticks",
                                             "softirq_ticks", "steal_ticks"};
constexpr std::array<std::string_view, 3> totals{"ctxt", "intr", "softirq"};

class CpuObserver : public CaseObserver {
  public:
    void before() override {
        gauges_.clear();
        read_load();
        before_ = read();
    }

    void after(Observations& observations) override {
        for (CounterRow& row : join_counters(before_, read(), 64))
            observations.counters.push_back(std::move(row));
        read_load();
        observations.gauges.insert(observations.gauges.end(), gauges_.begin(), gauges_.end());
    }

  private:
    static std::vector<CounterReading> read() {
        const auto text = read_small_file(stat_path);
        return text ? parse_cpu(*text) : std::vector<CounterReading>{};
    }

    void read_load() {
        if (const auto text = read_small_file(load_path)) {
            gauges_.push_back({monotonic_now_ns(), "cpu", "proc_loadavg", "load_1min",
                               std::strtod(text->c_str(), nullptr)});
        }
    }

    std::vector<CounterReading> before_;
    std::vector<GaugeRow> gauges_;
};

}  // namespace

std::vector<CounterReading> parse_cpu(std::string_view text) {
    std::vector<CounterReading> readings;
    const auto add = [&](std::string name, std::string_view word) {
        if (const auto value = parse_number(word))
            readings.push_back({"cpu", -1, "proc_stat", std::move(name), *value});
    };
    for (const std::string_view line : split_lines(text)) {
        const auto words = split_words(line);
        if (words.size() < 2) continue;
        if (words[0] == "cpu") {
            for (std::size_t i = 0; i < classes.size() && i + 1 < words.size(); ++i)
                add(classes[i], words[i + 1]);
        }
        for (const std::string_view total : totals) {
            if (words[0] == total) add(std::string(total), words[1]);
        }
    }
    return readings;
}

std::unique_ptr<CaseObserver> make_cpu_observer() {
    return std::make_unique<CpuObserver>();
}

std::vector<std::unique_ptr<CaseObserver>> make_default_observers() {
    std::vector<std::unique_ptr<CaseObserver>> observers;
    observers.push_back(make_netdev_observer());
    observers.push_back(make_cpu_observer());
    observers.push_back(make_rdma_observer());
    return observers;
}

}  // namespace railgauge
