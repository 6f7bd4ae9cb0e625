// SPDX-License-Identifier: Apache-2.0
#include "record/block_sender.hpp"

#include <algorithm>
#include <vector>

namespace railgauge {

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
        if (columns[i].constant) continue;
        const std::span<Cell> cells = out.first(rows);
        samples_->copy(i, share_.first_row(block), cells);
        if (columns[i].name == "start_ns") {
            for (Cell& cell : cells)
                cell += static_cast<Cell>(shift_ns_);
        }
        out = out.subspan(rows);
    }
}

}  // namespace railgauge
