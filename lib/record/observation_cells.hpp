// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/observer.hpp"
#include "measure/sample.hpp"
#include "record/table.hpp"

namespace railgauge {

/// A rank's observations as cells, to travel with its samples. Empty for none.
/// @param shift_ns from this rank's clock to the common clock
std::vector<Cell> pack_observations(const Observations& observations, int node,
                                    std::int64_t shift_ns);

/// The observations of all ranks: the tables /counters/<id> and /series/<id>.
class ObservationTables {
  public:
    /// Appends what a rank packed. @throws std::logic_error when the cells are none
    void add(std::span<const Cell> cells);

    /// Without rows when nothing was observed.
    Table counters() const;
    Table series() const;

  private:
    struct Counter {
        int node;
        CounterRow row;
    };
    struct Gauge {
        int node;
        GaugeRow row;
    };
    std::vector<Counter> counters_;
    std::vector<Gauge> gauges_;
};

}  // namespace railgauge
