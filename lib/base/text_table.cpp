// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"

namespace railgauge {

std::string TextTable::header() const {
    return header_line(&TextColumn::name) + '\n' + header_line(&TextColumn::unit);
}

std::string TextTable::row(std::span<const std::string> cells) const {
    return line(" ", cells);
}

std::string TextTable::row_without_result(std::span<const std::string> cells,
                                          std::string_view status,
                                          const std::string& reason) const {
    return fmt::format("{}  {}: {}", line(" ", cells), status, reason);
}

std::string TextTable::line(const char* prefix, std::span<const std::string> cells) const {
    std::string text(prefix);
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += fmt::format(" {:>{}}", cells[i], columns_[i].width);
    return text;
}

std::string TextTable::header_line(const char* TextColumn::*member) const {
    std::vector<std::string> cells;
    for (const TextColumn& column : columns_)
        cells.emplace_back(column.*member);
    std::string text = line("#", cells);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string microseconds_cell(double ns) {
    return std::isnan(ns) ? "-" : fmt::format("{:.2f}", ns / ns_per_us);
}

}  // namespace railgauge
