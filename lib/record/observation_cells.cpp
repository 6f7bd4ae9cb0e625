// SPDX-License-Identifier: Apache-2.0
#include "record/observation_cells.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace railgauge {
namespace {

constexpr std::size_t cells_of(std::size_t bytes) {
    return (bytes + sizeof(Cell) - 1) / sizeof(Cell);
}

class CellWriter {
  public:
    void put(std::uint64_t value) { cells_.push_back(value); }
    void put(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
    void put(int value) { put(static_cast<std::int64_t>(value)); }
    void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }

    void put(const std::string& text) {
        put(std::uint64_t{text.size()});
        const std::size_t begin = cells_.size();
        cells_.resize(begin + cells_of(text.size()));
        std::memcpy(cells_.data() + begin, text.data(), text.size());
    }

    std::vector<Cell> take() { return std::move(cells_); }

  private:
    std::vector<Cell> cells_;
};

class CellReader {
  public:
    explicit CellReader(std::span<const Cell> cells) : cells_(cells) {}

    std::uint64_t number() {
        require(1);
        const Cell cell = cells_.front();
        cells_ = cells_.subspan(1);
        return cell;
    }
    std::int64_t integer() { return static_cast<std::int64_t>(number()); }
    double real() { return std::bit_cast<double>(number()); }

    std::string text() {
        const std::size_t bytes = number();
        require(cells_of(bytes));
        std::string text(reinterpret_cast<const char*>(cells_.data()), bytes);
        cells_ = cells_.subspan(cells_of(bytes));
        return text;
    }

  private:
    void require(std::size_t cells) const {
        if (cells_.size() < cells) throw std::logic_error("observations end too early");
    }

    std::span<const Cell> cells_;
};

}  // namespace

std::vector<Cell> pack_observations(const Observations& observations, int node,
                                    std::int64_t shift_ns) {
    if (observations.counters.empty() && observations.gauges.empty()) return {};
    CellWriter out;
    out.put(node);
    out.put(std::uint64_t{observations.counters.size()});
    for (const CounterRow& row : observations.counters) {
        out.put(row.device);
        out.put(row.port);
        out.put(row.source);
        out.put(row.name);
        out.put(row.before);
        out.put(row.after);
        out.put(static_cast<int>(row.status));
    }
    out.put(std::uint64_t{observations.gauges.size()});
    for (const GaugeRow& row : observations.gauges) {
        out.put(row.time_ns + shift_ns);
        out.put(row.device);
        out.put(row.source);
        out.put(row.name);
        out.put(row.value);
    }
    return out.take();
}

void ObservationTables::add(std::span<const Cell> cells) {
    if (cells.empty()) return;
    CellReader in(cells);
    const int node = static_cast<int>(in.integer());
    for (std::uint64_t left = in.number(); left > 0; --left) {
        CounterRow row;
        row.device = in.text();
        row.port = static_cast<int>(in.integer());
        row.source = in.text();
        row.name = in.text();
        row.before = in.number();
        row.after = in.number();
        row.status = static_cast<CounterStatus>(in.integer());
        counters_.push_back({node, std::move(row)});
    }
    for (std::uint64_t left = in.number(); left > 0; --left) {
        GaugeRow row;
        row.time_ns = in.integer();
        row.device = in.text();
        row.source = in.text();
        row.name = in.text();
        row.value = in.real();
        gauges_.push_back({node, std::move(row)});
    }
}

Table ObservationTables::counters() const {
    Table table;
    table.add("node", counters_, &Counter::node);
    table.add("device", counters_, [](const Counter& c) { return c.row.device; });
    table.add("port", counters_, [](const Counter& c) { return c.row.port; });
    table.add("source", counters_, [](const Counter& c) { return c.row.source; });
    table.add("name", counters_, [](const Counter& c) { return c.row.name; });
    table.add("before", counters_, [](const Counter& c) { return c.row.before; });
    table.add("after", counters_, [](const Counter& c) { return c.row.after; });
    table.add("status", counters_,
              [](const Counter& c) { return std::string(to_text(c.row.status)); });
    return table;
}

Table ObservationTables::series() const {
    Table table;
    table.add("time_ns", gauges_, [](const Gauge& g) { return g.row.time_ns; });
    table.add("node", gauges_, &Gauge::node);
    table.add("device", gauges_, [](const Gauge& g) { return g.row.device; });
    table.add("source", gauges_, [](const Gauge& g) { return g.row.source; });
    table.add("name", gauges_, [](const Gauge& g) { return g.row.name; });
    table.add("value", gauges_, [](const Gauge& g) { return g.row.value; });
    return table;
}

}  // namespace railgauge
