// SPDX-License-Identifier: Apache-2.0
#include "record/part_assembly.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {

PartAssembly::PartAssembly(std::span<const RankShare> shares, const std::filesystem::path& path,
                           CaseFrame frame, GatherListener listener)
    : shares_(shares),
      frame_(std::move(frame)),
      listener_(std::move(listener)),
      writer_(path, frame_.case_id, frame_.plan_id),
      has_samples_(shares.front().state == RankShare::State::samples),
      offsets_{0},
      taken_(frame_.columns.size()) {
    require_equal_columns();
    for (const RankShare& rank : shares_) {
        offsets_.push_back(offsets_.back() + rank.rows);
        whole_ = whole_ && rank.state != RankShare::State::failed;
    }
    if (has_samples_) writer_.reserve_samples(shape());
}

/// Rank 0 writes the columns that it knows, so it must know those of every rank with rows.
void PartAssembly::require_equal_columns() const {
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
        const RankShare& other = shares_[rank];
        const bool differs = other.columns_hash != shares_.front().columns_hash ||
                             other.state != shares_.front().state;
        if (other.rows == 0 || !differs) continue;
        throw Error(ExitCode::library, "the samples of a case cannot be gathered",
                    fmt::format("rank {} has other columns than rank 0", rank),
                    "report this mistake of the program");
    }
}

SampleShape PartAssembly::shape() const {
    std::vector<std::int32_t> groups;
    for (const RankShare& rank : shares_)
        groups.push_back(rank.group);
    return {offsets_, std::move(groups), frame_.blocks, frame_.columns};
}

void PartAssembly::take(int rank, std::uint64_t block, std::span<const Cell> cells) {
    whole_ = whole_ && cells.front() == RankShare::whole_status;
    if (!whole_) return;
    cells = cells.subspan(RankShare::status_cells);
    const std::size_t constants = share(rank).constants_of(block);
    if (constants > 0) take_constants(rank, cells.first(constants));
    cells = cells.subspan(constants);
    const std::size_t observations = share(rank).observations_of(block);
    observations_.add(cells.first(observations));
    take_rows(rank, block, cells.subspan(observations));
}

/// Rank 0 may be idle and know other constants: the first rank with rows says them.
void PartAssembly::take_constants(int rank, std::span<const Cell> cells) {
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

void PartAssembly::take_rows(int rank, std::uint64_t block, std::span<const Cell> cells) {
    const std::uint64_t rows = share(rank).rows_of(block);
    if (rows == 0) return;
    const std::uint64_t first =
        offsets_[static_cast<std::size_t>(rank)] + share(rank).first_row(block);
    for (std::size_t i = 0; i < frame_.columns.size(); ++i) {
        if (!frame_.sent.holds(frame_.columns[i])) continue;
        if (frame_.writer == Writer::gather) taken_[i].push_back({first, cells.first(rows)});
        if (listener_ && frame_.heard.holds(frame_.columns[i])) {
            listener_(rank, i, cells.first(rows));
        }
        cells = cells.subspan(rows);
    }
}

void PartAssembly::flush() {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (!taken_[i].empty()) writer_.write(i, taken_[i]);
        taken_[i].clear();
    }
}

/// A row per rank; none when nothing was checked.
Table PartAssembly::checks() const {
    const auto checked = [](const RankShare& rank) { return rank.check.checked; };
    const bool any = std::any_of(shares_.begin(), shares_.end(),
                                 [&](const RankShare& rank) { return checked(rank) > 0; });
    Table table;
    if (!any) return table;
    table.add("checked_elements", shares_, checked);
    table.add("wrong_elements", shares_, [](const RankShare& rank) { return rank.check.wrong; });
    return table;
}

void PartAssembly::add_tables() {
    if (has_samples_) writer_.add_constants(frame_.columns);
    writer_.add_cases(frame_.case_row);
    writer_.add_case_table("checks", checks());
    writer_.add_case_table("counters", observations_.counters());
    writer_.add_case_table("series", observations_.series());
}

const std::filesystem::path& PartAssembly::hand_over() {
    add_tables();
    return writer_.hand_over();
}

void PartAssembly::commit() {
    if (frame_.writer == Writer::gather) add_tables();
    writer_.commit();
}

}  // namespace railgauge
