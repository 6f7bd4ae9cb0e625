// SPDX-License-Identifier: Apache-2.0
#include "record/table.hpp"

#include <algorithm>

namespace railgauge {

std::size_t Table::rows() const {
    if (columns.empty()) return 0;
    return std::visit([](const auto& cells) { return cells.size(); }, columns.front().cells);
}

const Table::Column* Table::find(const std::string& name) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

void Table::replace_row(std::size_t row, const Table& other) {
    for (Column& column : columns) {
        const Column* source = other.find(column.name);
        if (source == nullptr || source->cells.index() != column.cells.index()) continue;
        std::visit(
            [&](auto& cells) {
                cells.at(row) = std::get<std::decay_t<decltype(cells)>>(source->cells).at(0);
            },
            column.cells);
    }
}

}  // namespace railgauge
