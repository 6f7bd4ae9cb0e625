// SPDX-License-Identifier: Apache-2.0
#include "measure/sample_buffer.hpp"

#include <algorithm>

namespace railgauge {

void SampleBuffer::reset(std::size_t capacity, std::uint64_t bytes_per_sample,
                         const std::vector<SampleColumn>& extra) {
    columns_ = {{"start_ns", "ns", CellType::i64, {}},
                {"elapsed_ns", "ns", CellType::i64, {}},
                {"bytes", "B", CellType::u64, bytes_per_sample}};
    columns_.insert(columns_.end(), extra.begin(), extra.end());
    // assign() writes every cell, so that no page is touched for the first time inside the timed
    // loop.
    start_ns_.assign(capacity, 0);
    elapsed_ns_.assign(capacity, 0);
    extra_.resize(extra.size());
    for (auto& cells : extra_)
        cells.assign(capacity, 0);
    size_ = 0;
}

void SampleBuffer::copy(std::size_t column, std::uint64_t first, std::span<Cell> out) const {
    const std::vector<Cell>& cells = column == 0   ? start_ns_
                                     : column == 1 ? elapsed_ns_
                                                   : extra_.at(column - own_columns);
    std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
}

}  // namespace railgauge
