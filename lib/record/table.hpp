// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "record/hdf5.hpp"

namespace railgauge {

/// Rows kept column by column: a compound dataset of the run file, without HDF5.
///
///     Table table;
///     table.add("rank", rows, &RankRow::rank);
///     write_table(file, "ranks", table);
struct Table {
    using Cells =
        std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>,
                     std::vector<std::uint64_t>, std::vector<double>, std::vector<std::string>>;

    struct Column {
        std::string name;
        Cells cells;
    };

    std::vector<Column> columns;

    std::size_t rows() const;

    /// @return null when there is none of that name
    const Column* find(const std::string& name) const;

    /// Appends a column of what `projection` gives for each row.
    template <class Rows, class Projection>
    void add(std::string name, const Rows& from, Projection projection) {
        using Row = decltype(*from.begin());
        std::vector<std::decay_t<std::invoke_result_t<Projection, Row>>> cells;
        cells.reserve(from.size());
        for (const auto& row : from)
            cells.push_back(std::invoke(projection, row));
        columns.push_back({std::move(name), std::move(cells)});
    }

    /// Replaces row `row` by the first row of `other`, whose columns are matched by name and type;
    /// columns that `other` lacks stay.
    void replace_row(std::size_t row, const Table& other);
};

/// Writes `table` as a compound dataset; texts are as wide as the longest needs.
void write_table(hid_t parent, const char* name, const Table& table);

/// Reads a compound dataset of exactly `rows` rows. Integers of 4 and 8 bytes, f64 and fixed-length
/// texts are known. @throws Error(library) for anything else: the file may be hostile
Table read_table(hid_t parent, const char* name, std::size_t rows);

}  // namespace railgauge
