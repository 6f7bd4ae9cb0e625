// SPDX-License-Identifier: Apache-2.0
#include "record/table.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "record/values.hpp"

namespace railgauge {
namespace {

using hdf5::check;

constexpr std::size_t most_table_bytes = std::size_t{1} << 30;
constexpr int most_columns = 1000;

/// One column's place in a packed row.
struct Member {
    std::string name;
    hdf5::Datatype type;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// Packed rows, as they are handed to HDF5.
struct Layout {
    std::vector<Member> members;
    std::size_t row_bytes = 0;

    void add(std::string name, hdf5::Datatype type) {
        const std::size_t bytes = H5Tget_size(type.get());
        members.push_back({std::move(name), std::move(type), row_bytes, bytes});
        row_bytes += bytes;
    }

    hdf5::Datatype compound() const {
        hdf5::Datatype type(
            check(H5Tcreate(H5T_COMPOUND, row_bytes), -1, "prepare", "a row's type"));
        for (const Member& member : members) {
            check(H5Tinsert(type.get(), member.name.c_str(), member.offset, member.type.get()), -1,
                  "prepare column", member.name);
        }
        return type;
    }
};

hdf5::Datatype native(hid_t type) {
    return hdf5::Datatype(check(H5Tcopy(type), -1, "prepare", "a column's type"));
}

hdf5::Datatype cell_type(const std::vector<std::int32_t>&) {
    return native(H5T_NATIVE_INT32);
}
hdf5::Datatype cell_type(const std::vector<std::int64_t>&) {
    return native(H5T_NATIVE_INT64);
}
hdf5::Datatype cell_type(const std::vector<std::uint64_t>&) {
    return native(H5T_NATIVE_UINT64);
}
hdf5::Datatype cell_type(const std::vector<double>&) {
    return native(H5T_NATIVE_DOUBLE);
}
hdf5::Datatype cell_type(const std::vector<std::string>& cells) {
    std::size_t longest = 0;
    for (const std::string& text : cells)
        longest = std::max(longest, text.size());
    return hdf5::text_type(longest);
}

template <class T>
void put(char* cell, const T& value) {
    std::memcpy(cell, &value, sizeof value);
}
void put(char* cell, const std::string& text) {
    text.copy(cell, text.size());
}

template <class T>
void get(const char* cell, std::size_t, T& value) {
    std::memcpy(&value, cell, sizeof value);
}
void get(const char* cell, std::size_t bytes, std::string& text) {
    text.assign(cell, ::strnlen(cell, bytes));
}

Layout layout_of(const Table& table) {
    Layout layout;
    for (const Table::Column& column : table.columns) {
        layout.add(column.name,
                   std::visit([](const auto& cells) { return cell_type(cells); }, column.cells));
    }
    return layout;
}

std::vector<char> packed(const Table& table, const Layout& layout) {
    std::vector<char> rows(table.rows() * layout.row_bytes);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        char* cell = rows.data() + layout.members[i].offset;
        std::visit(
            [&](const auto& cells) {
                for (const auto& value : cells) {
                    put(cell, value);
                    cell += layout.row_bytes;
                }
            },
            table.columns[i].cells);
    }
    return rows;
}

/// A column's kind, empty cells of it, and the type to read it as; for a member of a file's type.
std::pair<Table::Cells, hdf5::Datatype> cells_for(hid_t member, std::size_t rows) {
    const std::size_t bytes = H5Tget_size(member);
    const bool is_signed = H5Tget_sign(member) == H5T_SGN_2;
    switch (H5Tget_class(member)) {
        case H5T_INTEGER:
            if (bytes == 8 && !is_signed)
                return {std::vector<std::uint64_t>(rows), native(H5T_NATIVE_UINT64)};
            if (bytes == 8) return {std::vector<std::int64_t>(rows), native(H5T_NATIVE_INT64)};
            if (bytes == 4 && is_signed)
                return {std::vector<std::int32_t>(rows), native(H5T_NATIVE_INT32)};
            break;
        case H5T_FLOAT: return {std::vector<double>(rows), native(H5T_NATIVE_DOUBLE)};
        case H5T_STRING:
            if (H5Tis_variable_str(member) == 0 && bytes <= hdf5::most_text_bytes)
                return {std::vector<std::string>(rows), native(member)};
            break;
        default: break;
    }
    return {};
}

std::string member_name(hid_t type, unsigned index) {
    char* name = H5Tget_member_name(type, index);
    std::string copy = name == nullptr ? "" : name;
    H5free_memory(name);
    return copy;
}

/// The columns of the stored type `type`, with room for `rows` rows.
Layout layout_of(hid_t parent, const char* name, hid_t type, std::size_t rows, Table& table) {
    const int count = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
    if (count < 1 || count > most_columns) hdf5::throw_damaged(parent, name, "it is no table");
    Layout layout;
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
        const hdf5::Datatype member(check(H5Tget_member_type(type, i), parent, "read", name));
        auto [cells, memory_type] = cells_for(member.get(), rows);
        const std::string column = member_name(type, i);
        if (!memory_type) {
            hdf5::throw_damaged(parent, name,
                                fmt::format("column '{}' has an unknown type", column));
        }
        layout.add(column, std::move(memory_type));
        table.columns.push_back({column, std::move(cells)});
    }
    if (layout.row_bytes * rows > most_table_bytes) {
        hdf5::throw_damaged(parent, name, "it is too large");
    }
    return layout;
}

void unpack(const std::vector<char>& rows, const Layout& layout, Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Member& member = layout.members[i];
        const char* cell = rows.data() + member.offset;
        std::visit(
            [&](auto& cells) {
                for (auto& value : cells) {
                    get(cell, member.bytes, value);
                    cell += layout.row_bytes;
                }
            },
            table.columns[i].cells);
    }
}

}  // namespace

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

void write_table(hid_t parent, const char* name, const Table& table) {
    const Layout layout = layout_of(table);
    const hdf5::Datatype type = layout.compound();
    const hdf5::Dataspace space = hdf5::vector_space(table.rows());
    const hdf5::Dataset dataset(check(
        H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        parent, "write table", name));
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   packed(table, layout).data()),
          parent, "write table", name);
}

Table read_table(hid_t parent, const char* name, std::size_t rows) {
    const hdf5::Dataset dataset(
        check(H5Dopen2(parent, name, H5P_DEFAULT), parent, "read table", name));
    const hdf5::Dataspace space(check(H5Dget_space(dataset.get()), parent, "read table", name));
    const hdf5::Datatype stored(check(H5Dget_type(dataset.get()), parent, "read table", name));
    if (H5Sget_simple_extent_ndims(space.get()) != 1 ||
        H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(rows)) {
        hdf5::throw_damaged(parent, name, fmt::format("it has not {} rows", rows));
    }
    Table table;
    const Layout layout = layout_of(parent, name, stored.get(), rows, table);
    std::vector<char> cells(rows * layout.row_bytes);
    check(H5Dread(dataset.get(), layout.compound().get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  cells.data()),
          parent, "read table", name);
    unpack(cells, layout, table);
    return table;
}

}  // namespace railgauge
