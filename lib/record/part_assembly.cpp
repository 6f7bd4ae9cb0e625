// SPDX-License-Identifier: Apache-2.0
#include "record/part_assembly.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

PartAssembly::PartAssembly(const BlockPlan& plan, std::filesystem::path path, CaseFrame frame,
                           GatherListener listener)
    : plan_(plan),
      path_(std::move(path)),
      frame_(std::move(frame)),
      listener_(std::move(listener)),
      stretches_(frame_.columns.size()) {}

void PartAssembly::take(std::span<const Cell> cells) {
    for (std::vector<Stretch>& stretches : stretches_)
        stretches.clear();
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
        const std::size_t sent = plan_.cells(rank, block_);
        take_rank(rank, cells.first(sent));
        cells = cells.subspan(sent);
    }
    if (block_ == 0) open_part();
    write_columns();
    ++block_;
}

void PartAssembly::take_rank(int rank, std::span<const Cell> cells) {
    whole_ = whole_ && cells.front() == BlockPlan::whole_status;
    cells = cells.subspan(BlockPlan::status_cells);
    const std::size_t constants = plan_.constant_cells(rank, block_);
    if (constants > 0) take_constants(rank, cells.first(constants));
    cells = cells.subspan(constants);
    const std::size_t observations = plan_.observation_cells(rank, block_);
    if (whole_) observations_.add(cells.first(observations));
    cells = cells.subspan(observations);
    const std::uint64_t rows = plan_.rows(rank, block_);
    if (rows == 0) return;
    const std::uint64_t first =
        plan_.offsets()[static_cast<std::size_t>(rank)] + plan_.first_row(block_);
    for (std::size_t i = 0; i < frame_.columns.size(); ++i) {
        if (frame_.columns[i].constant) continue;
        stretches_[i].push_back({first, cells.first(rows)});
        if (whole_ && listener_) listener_(rank, i, cells.first(rows));
        cells = cells.subspan(rows);
    }
}

/// Rank 0 may be idle and know other constants: the first rank with rows says them.
void PartAssembly::take_constants(int rank, std::span<const Cell> cells) {
    if (!whole_) return;
    if (constants_from_ < 0) constants_from_ = rank;
    for (SampleColumn& column : frame_.columns) {
        if (!column.constant) continue;
        if (rank == constants_from_) column.constant = cells.front();
        if (*column.constant != cells.front()) {
            throw Error(ExitCode::library,
                        fmt::format("column {} of a case cannot be written", column.name),
                        fmt::format("it is declared constant but differs between ranks {} and {}",
                                    constants_from_, rank),
                        "report this mistake of the program");
        }
        cells = cells.subspan(1);
    }
}

void PartAssembly::open_part() {
    PartContent content{.case_id = frame_.case_id,
                        .plan_id = frame_.plan_id,
                        .case_row = std::move(frame_.case_row),
                        .samples = std::nullopt,
                        .counters = observations_.counters(),
                        .series = observations_.series()};
    if (plan_.has_samples()) {
        std::vector<std::int32_t> groups;
        for (int rank = 0; rank < plan_.ranks(); ++rank) {
            groups.push_back(plan_.manifest(rank).group);
        }
        content.samples =
            SampleShape{plan_.offsets(), std::move(groups), frame_.blocks, frame_.columns};
    }
    writer_.emplace(path_, content);
}

void PartAssembly::write_columns() {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
        if (!stretches_[i].empty()) writer_->write(i, stretches_[i]);
    }
}

void PartAssembly::commit() {
    if (whole_) writer_->commit();
    writer_.reset();
}

}  // namespace railgauge
