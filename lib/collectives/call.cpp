// SPDX-License-Identifier: Apache-2.0
#include "collectives/call.hpp"

#include <array>

#include "base/names.hpp"

namespace railgauge {
namespace {

struct Named {
    std::string_view name;
};

// Names in the order of the enumerators.
constexpr std::array<Named, 7> reduce_operations{
    {{"none"}, {"sum"}, {"prod"}, {"min"}, {"max"}, {"avg"}, {"mulsum"}}};
constexpr std::array<Named, 2> places{{{"out"}, {"in"}}};

template <class Enum, class Table>
Enum parse(const Table& table, std::string_view text, const char* kind) {
    return static_cast<Enum>(&row_named(table, text, kind) - table.data());
}

}  // namespace

std::string_view to_text(ReduceOperation reduce) {
    return reduce_operations.at(static_cast<std::size_t>(reduce)).name;
}
std::string_view to_text(Place place) {
    return places.at(static_cast<std::size_t>(place)).name;
}

ReduceOperation parse_reduce_operation(std::string_view text) {
    return parse<ReduceOperation>(reduce_operations, text, "reduction");
}
Place parse_place(std::string_view text) {
    return parse<Place>(places, text, "place");
}

std::vector<std::string> reduce_operation_names() {
    return names_of(reduce_operations);
}

}  // namespace railgauge
