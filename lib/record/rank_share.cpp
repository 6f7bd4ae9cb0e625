// SPDX-License-Identifier: Apache-2.0
#include "record/rank_share.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace railgauge {
namespace {

std::uint64_t hash_columns(const std::vector<SampleColumn>& columns) {
    std::string text;
    for (const SampleColumn& column : columns) {
        text += fmt::format("{}\n{}\n{}\n{}\n", column.name, column.unit,
                            static_cast<int>(column.type), column.constant.has_value());
    }
    return std::hash<std::string>{}(text);
}

}  // namespace

void RankShare::describe(const SampleSource* samples) {
    if (samples == nullptr) return;
    state = State::samples;
    rows = samples->rows();
    columns_hash = hash_columns(samples->columns());
    for (const SampleColumn& column : samples->columns()) {
        ++(column.constant ? constant_columns : varying_columns);
    }
}

std::uint64_t RankShare::rows_per_block() const {
    const auto row_cells = static_cast<std::uint64_t>(std::max(1, varying_columns));
    return std::max<std::uint64_t>(1, block_cells / row_cells);
}

std::uint64_t RankShare::blocks() const {
    if (state == State::failed) return 0;
    return std::max<std::uint64_t>(1, (rows + rows_per_block() - 1) / rows_per_block());
}

std::uint64_t RankShare::rows_of(std::uint64_t block) const {
    const std::uint64_t first = first_row(block);
    return first >= rows ? 0 : std::min(rows_per_block(), rows - first);
}

std::size_t RankShare::constants_of(std::uint64_t block) const {
    return block == 0 && rows > 0 ? static_cast<std::size_t>(constant_columns) : 0;
}

std::size_t RankShare::observations_of(std::uint64_t block) const {
    return block == 0 ? observation_cells : 0;
}

std::size_t RankShare::cells_of(std::uint64_t block) const {
    return status_cells + constants_of(block) + observations_of(block) +
           rows_of(block) * static_cast<std::size_t>(varying_columns);
}

}  // namespace railgauge
