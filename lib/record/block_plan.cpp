// SPDX-License-Identifier: Apache-2.0
#include "record/block_plan.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_cells_per_gather =
    static_cast<std::size_t>(std::numeric_limits<int>::max());

std::uint64_t hash_columns(const std::vector<SampleColumn>& columns) {
    std::string text;
    for (const SampleColumn& column : columns) {
        text += fmt::format("{}\n{}\n{}\n{}\n", column.name, column.unit,
                            static_cast<int>(column.type), column.constant.has_value());
    }
    return std::hash<std::string>{}(text);
}

}  // namespace

void RankManifest::describe(const SampleSource* samples) {
    if (samples == nullptr) return;
    state = State::samples;
    rows = samples->rows();
    columns_hash = hash_columns(samples->columns());
    for (const SampleColumn& column : samples->columns()) {
        ++(column.constant ? constant_columns : varying_columns);
    }
}

BlockPlan::BlockPlan(std::vector<RankManifest> ranks, std::size_t most_cells)
    : ranks_(std::move(ranks)) {
    offsets_.push_back(0);
    for (const RankManifest& rank : ranks_)
        offsets_.push_back(offsets_.back() + rank.rows);
    require_equal_columns();
    divide(most_cells);
    if (block_cells(0) > most_cells_per_gather) {
        throw AgreedError(ExitCode::library, "the observations of a case cannot be gathered",
                          "together they exceed 16 GiB", "observe less, or for a shorter time");
    }
}

/// Rank 0 writes the columns that it knows, so it must know those of every rank with rows.
void BlockPlan::require_equal_columns() const {
    for (const RankManifest& rank : ranks_) {
        const bool differs =
            rank.columns_hash != ranks_.front().columns_hash || rank.state != ranks_.front().state;
        if (rank.rows == 0 || !differs) continue;
        throw AgreedError(
            ExitCode::library, "the samples of a case cannot be gathered",
            fmt::format("rank {} has other columns than rank 0", &rank - ranks_.data()),
            "report this mistake of the program");
    }
}

void BlockPlan::divide(std::size_t most_cells) {
    std::uint64_t most_rows = 0;
    std::uint64_t cells_per_row = 0;
    for (const RankManifest& rank : ranks_) {
        most_rows = std::max(most_rows, rank.rows);
        if (rank.rows > 0) cells_per_row += static_cast<std::uint64_t>(rank.varying_columns);
    }
    block_rows_ =
        std::max<std::uint64_t>(1, most_cells / std::max<std::uint64_t>(1, cells_per_row));
    blocks_ = std::max<std::uint64_t>(1, (most_rows + block_rows_ - 1) / block_rows_);
}

bool BlockPlan::has_samples() const noexcept {
    return ranks_.front().state == RankManifest::State::samples;
}

std::uint64_t BlockPlan::rows(int rank, std::uint64_t block) const {
    const std::uint64_t all = manifest(rank).rows;
    const std::uint64_t first = first_row(block);
    return first >= all ? 0 : std::min(block_rows_, all - first);
}

std::size_t BlockPlan::constant_cells(int rank, std::uint64_t block) const {
    const RankManifest& from = manifest(rank);
    return block == 0 && from.rows > 0 ? static_cast<std::size_t>(from.constant_columns) : 0;
}

std::size_t BlockPlan::observation_cells(int rank, std::uint64_t block) const {
    return block == 0 ? manifest(rank).observation_cells : 0;
}

std::size_t BlockPlan::cells(int rank, std::uint64_t block) const {
    return status_cells + constant_cells(rank, block) + observation_cells(rank, block) +
           rows(rank, block) * static_cast<std::size_t>(manifest(rank).varying_columns);
}

std::size_t BlockPlan::block_cells(std::uint64_t block) const {
    std::size_t sum = 0;
    for (int rank = 0; rank < ranks(); ++rank)
        sum += cells(rank, block);
    return sum;
}

}  // namespace railgauge
