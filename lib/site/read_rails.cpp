// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "site/draft.hpp"
#include "site/limits.hpp"

namespace railgauge::site {
namespace {

Rail read_rail(TableReader& table, const Draft& draft) {
    constexpr int last_index = static_cast<int>(most_rails) - 1;
    Rail rail;
    rail.index = table.integer("index", Need::required, 0, last_index).value_or(-1);
    rail.name = table.text("name", Need::required, label);
    const std::string plane = table.text("plane", Need::required, label);
    rail.plane = find_plane(draft, plane, table.place("plane"), table.mistakes()).value_or(-1);
    rail.rate_gbit_per_s =
        table.number("rate_gbit_per_s", Need::required, 0, most_gbit_per_s, "Gbit/s").value_or(0);
    rail.mtu_bytes = table.integer("mtu_bytes", Need::optional, least_mtu_bytes, most_mtu_bytes);
    table.finish();
    return rail;
}

/// Below `rails` and unique: then the indices are 0, 1, ... without gaps.
void check_index(int index, std::size_t rails, const Place& place, Mistakes& mistakes,
                 UniqueNames& taken) {
    if (index < 0) return;  // reported already
    taken.add(fmt::format("{}", index), place, mistakes);
    if (static_cast<std::size_t>(index) < rails) return;
    mistakes.add(place, fmt::format("rail index {} leaves a gap", index),
                 fmt::format("the number of rails is {}", rails),
                 "number them 0, 1, 2, ... in the order of the ports");
}

}  // namespace

void read_planes(TableReader& root, Draft& draft) {
    const std::size_t before = root.mistakes().count();
    UniqueNames names;
    for (TableReader& table : root.tables("planes", Need::required, "a plane", most_planes)) {
        const std::string name = table.text("name", Need::required, label);
        names.add(name, table.place("name"), root.mistakes());
        table.finish();
        draft.site.planes.push_back({name});
    }
    draft.are_planes_right = root.mistakes().count() == before;
}

void read_rails(TableReader& root, Draft& draft) {
    const std::size_t before = root.mistakes().count();
    UniqueNames names;
    UniqueNames indices;
    std::vector<TableReader> tables = root.tables("rails", Need::required, "a rail", most_rails);
    for (TableReader& table : tables) {
        const Rail rail = read_rail(table, draft);
        names.add(rail.name, table.place("name"), root.mistakes());
        check_index(rail.index, tables.size(), table.place("index"), root.mistakes(), indices);
        draft.site.rails.push_back(rail);
    }
    std::stable_sort(draft.site.rails.begin(), draft.site.rails.end(),
                     [](const Rail& a, const Rail& b) { return a.index < b.index; });
    draft.are_rails_right = root.mistakes().count() == before;
}

}  // namespace railgauge::site
