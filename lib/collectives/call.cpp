// SPDX-License-Identifier: Apache-2.0
#include "collectives/call.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

// Names in the order of the enumerators.
constexpr std::array<std::string_view, 5> data_types{"float32", "float64", "int32", "int64",
                                                     "bytes"};
constexpr std::array<std::size_t, 5> data_type_sizes{4, 8, 4, 8, 1};
constexpr std::array<std::string_view, 3> reduce_operations{"none", "sum", "max"};
constexpr std::array<std::string_view, 2> places{"out", "in"};

template <class Enum, std::size_t N>
Enum parse(const std::array<std::string_view, N>& names, std::string_view text, const char* kind) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    throw Error(ExitCode::usage, fmt::format("{} '{}' is unknown", kind, text),
                fmt::format("there are {}", fmt::join(names, ", ")), "use one of these");
}

template <std::size_t N>
std::vector<std::string> as_strings(const std::array<std::string_view, N>& names) {
    return {names.begin(), names.end()};
}

}  // namespace

std::size_t size_of(DataType type) {
    return data_type_sizes.at(static_cast<std::size_t>(type));
}

std::string_view to_text(DataType type) {
    return data_types.at(static_cast<std::size_t>(type));
}
std::string_view to_text(ReduceOperation reduce) {
    return reduce_operations.at(static_cast<std::size_t>(reduce));
}
std::string_view to_text(Place place) {
    return places.at(static_cast<std::size_t>(place));
}

DataType parse_data_type(std::string_view text) {
    return parse<DataType>(data_types, text, "data type");
}
ReduceOperation parse_reduce_operation(std::string_view text) {
    return parse<ReduceOperation>(reduce_operations, text, "reduction");
}
Place parse_place(std::string_view text) {
    return parse<Place>(places, text, "place");
}

std::vector<std::string> data_type_names() {
    return as_strings(data_types);
}
std::vector<std::string> reduce_operation_names() {
    return as_strings(reduce_operations);
}

}  // namespace railgauge
