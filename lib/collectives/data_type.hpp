// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

/// NCCL's element types, and bytes that nobody computes with.
enum class DataType {
    int8,
    uint8,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    float8e4m3,
    float8e5m2,
    bytes
};

enum class NumberKind { none, integer, floating };

struct DataTypeRow {
    DataType type;
    std::string_view name;
    std::size_t bytes;
    NumberKind kind;
    /// 0 .. this are exact, and so are sums of them that stay below. Of unsigned types with all
    /// bits set excluded, which is the poison of check rounds.
    std::int64_t most_whole;
    double unit_roundoff;  ///< largest relative error of rounding to this type; 0 for integers
};

const DataTypeRow& row_of(DataType type);

/// Bytes of one element.
inline std::size_t size_of(DataType type) {
    return row_of(type).bytes;
}

std::string_view to_text(DataType type);

/// @throws Error(usage) that lists the names there are
DataType parse_data_type(std::string_view text);

std::vector<std::string> data_type_names();

}  // namespace railgauge
