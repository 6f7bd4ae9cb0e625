// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace railgauge {

struct TextColumn {
    const char* name;
    const char* unit;
    int width;
};

/// A table on a terminal: right-aligned cells under two lines of names and units, which begin with
/// `#` so that plotting tools skip them.
class TextTable {
  public:
    /// @param columns must outlive the table
    explicit constexpr TextTable(std::span<const TextColumn> columns) : columns_(columns) {}

    /// Without a line break at its end.
    std::string header() const;

    /// @param cells as many as there are columns, or the first of them
    std::string row(std::span<const std::string> cells) const;

    /// The first cells, and then why the others are missing.
    std::string row_without_result(std::span<const std::string> cells, std::string_view status,
                                   const std::string& reason) const;

  private:
    std::string line(const char* prefix, std::span<const std::string> cells) const;
    std::string header_line(const char* TextColumn::*member) const;

    std::span<const TextColumn> columns_;
};

/// Microseconds of a time that may be unknown (NaN), as a cell.
std::string microseconds_cell(double ns);

}  // namespace railgauge
