// SPDX-License-Identifier: Apache-2.0
#include "record/block_sender.hpp"

#include <algorithm>

namespace railgauge {

void BlockSender::fill(std::uint64_t block, std::span<Cell> out) const {
    Cell& status = out.front();
    status = BlockPlan::failed_status;
    out = out.subspan(BlockPlan::status_cells);
    if (plan_.constant_cells(rank_, block) > 0) {
        for (const SampleColumn& column : samples_->columns()) {
            if (!column.constant) continue;
            out.front() = *column.constant;
            out = out.subspan(1);
        }
    }
    if (plan_.observation_cells(rank_, block) > 0) {
        std::copy(observations_.begin(), observations_.end(), out.begin());
        out = out.subspan(observations_.size());
    }
    fill_rows(block, out);
    status = BlockPlan::whole_status;
}

void BlockSender::fill_rows(std::uint64_t block, std::span<Cell> out) const {
    const std::size_t rows = plan_.rows(rank_, block);
    if (rows == 0) return;
    const std::vector<SampleColumn>& columns = samples_->columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].constant) continue;
        const std::span<Cell> cells = out.first(rows);
        samples_->copy(i, plan_.first_row(block), cells);
        if (columns[i].name == "start_ns") {
            for (Cell& cell : cells)
                cell += static_cast<Cell>(shift_ns_);
        }
        out = out.subspan(rows);
    }
}

}  // namespace railgauge
