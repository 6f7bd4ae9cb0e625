// SPDX-License-Identifier: Apache-2.0
#include "collective/communicator_workload.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace railgauge {
namespace {

struct StepColumn {
    const char* name;
    const char* unit;
    std::int64_t CommunicatorLife::*value;
};

constexpr std::array<StepColumn, 6> steps{{{"init_ns", "ns", &CommunicatorLife::init_ns},
                                           {"split_ns", "ns", &CommunicatorLife::split_ns},
                                           {"register_ns", "ns", &CommunicatorLife::register_ns},
                                           {"first_ns", "ns", &CommunicatorLife::first_ns},
                                           {"finalize_ns", "ns", &CommunicatorLife::finalize_ns},
                                           {"memory_bytes", "B", &CommunicatorLife::memory_bytes}}};

}  // namespace

Traffic CommunicatorWorkload::traffic() const {
    return {0, 0, std::numeric_limits<double>::quiet_NaN()};
}

void CommunicatorWorkload::reserve(std::size_t samples) {
    lives_.resize(std::max<std::size_t>(samples, 1));
}

std::vector<SampleColumn> CommunicatorWorkload::extra_columns() const {
    std::vector<SampleColumn> columns;
    columns.reserve(steps.size());
    for (const StepColumn& step : steps)
        columns.push_back({step.name, step.unit, CellType::i64, {}});
    return columns;
}

void CommunicatorWorkload::extra_cells(std::size_t column, std::span<Cell> cells) const {
    const std::size_t first = count_ - cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<Cell>(lives_[(first + i) % lives_.size()].*steps.at(column).value);
}

}  // namespace railgauge
