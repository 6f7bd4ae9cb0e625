// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

enum class CounterStatus { ok, saturated, wrapped, vanished, appeared };

std::string_view to_text(CounterStatus status);

/// One counter of this node, read before and after a case: a row of /counters/<id>.
struct CounterRow {
    std::string device;
    int port = -1;
    std::string source;
    std::string name;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    CounterStatus status = CounterStatus::ok;
};

/// One reading of a gauge: a row of /series/<id>.
struct GaugeRow {
    std::int64_t time_ns =
        0;  ///< this rank's monotonic clock; the Recorder moves it to the common clock
    std::string device;
    std::string source;
    std::string name;
    double value = 0;
};

struct Observations {
    std::vector<CounterRow> counters;
    std::vector<GaugeRow> gauges;
};

/// Reads something of the node before and after a case, outside the timed loop. Runs on one rank
/// per node.
class CaseObserver {
  public:
    virtual ~CaseObserver() = default;
    virtual void before() = 0;

    /// Appends what changed since before(). A source that cannot be read any more is reported as
    /// vanished.
    virtual void after(Observations& observations) = 0;
};

/// A counter's value, by its identity.
struct CounterReading {
    std::string device;
    int port = -1;
    std::string source;
    std::string name;
    std::uint64_t value = 0;
    bool operator==(const CounterReading&) const = default;
};

/// Joins two readings: equal identities become one row; `width_bits` tells saturation from a wrap
/// (a value that went down has wrapped, one at its largest value is saturated). A value past what
/// the width holds shows that the counter has 64 bits.
std::vector<CounterRow> join_counters(const std::vector<CounterReading>& before,
                                      const std::vector<CounterReading>& after, int width_bits);

/// The same where each counter has a width of its own.
std::vector<CounterRow> join_counters(const std::vector<CounterReading>& before,
                                      const std::vector<CounterReading>& after,
                                      const std::function<int(const CounterReading&)>& width_bits);

}  // namespace railgauge
