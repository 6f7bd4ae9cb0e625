// SPDX-License-Identifier: Apache-2.0
#include "collectives/data_type.hpp"

#include <array>

#include "base/names.hpp"

namespace railgauge {
namespace {

using enum DataType;

constexpr std::int64_t whole_int32 = (std::int64_t{1} << 31) - 1;

/// Whole numbers a mantissa of so many stored bits holds exactly.
constexpr std::int64_t wholes(int mantissa_bits) {
    return std::int64_t{2} << mantissa_bits;
}

constexpr double roundoff(int mantissa_bits) {
    return 0.5 / static_cast<double>(std::int64_t{1} << mantissa_bits);
}

constexpr NumberKind integer = NumberKind::integer;
constexpr NumberKind floating = NumberKind::floating;

// In the order of the enumerators.
constexpr std::array<DataTypeRow, 13> table{{
    {int8, "int8", 1, integer, 127, 0},
    {uint8, "uint8", 1, integer, 254, 0},
    {int32, "int32", 4, integer, whole_int32, 0},
    {uint32, "uint32", 4, integer, whole_int32, 0},
    {int64, "int64", 8, integer, whole_int32, 0},
    {uint64, "uint64", 8, integer, whole_int32, 0},
    {float16, "float16", 2, floating, wholes(10), roundoff(10)},
    {bfloat16, "bfloat16", 2, floating, wholes(7), roundoff(7)},
    {float32, "float32", 4, floating, wholes(23), roundoff(23)},
    {float64, "float64", 8, floating, wholes(52), roundoff(52)},
    {float8e4m3, "float8e4m3", 1, floating, wholes(3), roundoff(3)},
    {float8e5m2, "float8e5m2", 1, floating, wholes(2), roundoff(2)},
    {bytes, "bytes", 1, NumberKind::none, 254, 0},
}};

}  // namespace

const DataTypeRow& row_of(DataType type) {
    return table.at(static_cast<std::size_t>(type));
}

std::string_view to_text(DataType type) {
    return row_of(type).name;
}

DataType parse_data_type(std::string_view text) {
    return row_named(table, text, "data type").type;
}

std::vector<std::string> data_type_names() {
    return names_of(table);
}

}  // namespace railgauge
