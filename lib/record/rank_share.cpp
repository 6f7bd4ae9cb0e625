// SPDX-License-Identifier: Apache-2.0
#include "record/rank_share.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace railgauge {
namespace {

std::uint64_t hash_columns(const std::vector<SampleColumn>& columns, const ColumnSet& sent) {
    std::string text;
    for (const SampleColumn& column : columns) {
        text += fmt::format("{}\n{}\n{}\n{}\n{}\n", column.name, column.unit,
                            static_cast<int>(column.type), column.constant.has_value(),
                            sent.holds(column));
    }
    return std::hash<std::string>{}(text);
}

}  // namespace

bool ColumnSet::holds(const SampleColumn& column) const {
    if (column.constant) return false;
    return !names || std::find(names->begin(), names->end(), column.name) != names->end();
}

void RankShare::describe(const SampleSource* samples, const ColumnSet& sent) {
    if (samples == nullptr) return;
    state = State::samples;
    rows = samples->rows();
    columns_hash = hash_columns(samples->columns(), sent);
    for (const SampleColumn& column : samples->columns()) {
        if (column.constant) ++constant_columns;
        if (sent.holds(column)) ++sent_columns;
    }
}

std::uint64_t RankShare::rows_per_block() const {
    const auto row_cells = static_cast<std::uint64_t>(std::max(1, sent_columns));
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
           rows_of(block) * static_cast<std::size_t>(sent_columns);
}

void copy_rows(const SampleSource& samples, std::size_t column, std::uint64_t first,
               std::span<Cell> out, std::int64_t shift_ns) {
    samples.copy(column, first, out);
    if (samples.columns()[column].name != "start_ns") return;
    for (Cell& cell : out)
        cell += static_cast<Cell>(shift_ns);
}

void BlockSender::fill(std::uint64_t block, std::span<Cell> out) const {
    Cell& status = out.front();
    status = RankShare::failed_status;
    out = out.subspan(RankShare::status_cells);
    if (share_.constants_of(block) > 0) {
        for (const SampleColumn& column : samples_->columns()) {
            if (!column.constant) continue;
            out.front() = *column.constant;
            out = out.subspan(1);
        }
    }
    if (share_.observations_of(block) > 0) {
        std::copy(observations_.begin(), observations_.end(), out.begin());
        out = out.subspan(observations_.size());
    }
    fill_rows(block, out);
    status = RankShare::whole_status;
}

void BlockSender::fill_rows(std::uint64_t block, std::span<Cell> out) const {
    const std::size_t rows = share_.rows_of(block);
    if (rows == 0) return;
    const std::vector<SampleColumn>& columns = samples_->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!sent_.holds(columns[i])) continue;
        copy_rows(*samples_, i, share_.first_row(block), out.first(rows), shift_ns_);
        out = out.subspan(rows);
    }
}

}  // namespace railgauge
