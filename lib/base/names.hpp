// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace railgauge {

/// The names in a table whose rows have a `name`.
template <class Table>
std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const auto& row : table)
        names.emplace_back(row.name);
    return names;
}

/// The row called `name`. @throws Error(usage) that lists the names there are
template <class Table>
const auto& row_named(const Table& table, std::string_view name, const char* kind) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
    if (found != table.end()) return *found;
    throw Error(ExitCode::usage, fmt::format("{} '{}' is unknown", kind, name),
                fmt::format("there are {}", fmt::join(names_of(table), ", ")), "use one of these");
}

}  // namespace railgauge
