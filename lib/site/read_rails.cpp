// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "site/draft.hpp"
#include "site/limits.hpp"

namespace railgauge::site {
namespace {

Rail read_rail(TableReader& table, const Draft& draft, int last_index) {
    Rail rail;
    rail.index = table.integer("index", Need::required, 0, last_index).value_or(-1);
    rail.name = table.text("name", Need::required, why_no_label);
    const std::string plane = table.text("plane", Need::required, why_no_label);
    rail.plane = find_plane(draft, plane, table.place("plane"), table.mistakes()).value_or(-1);
    rail.rate_gbit_per_s =
        table.number("rate_gbit_per_s", Need::required, 0, most_gbit_per_s, "Gbit/s").value_or(0);
    rail.mtu_bytes = table.integer("mtu_bytes", Need::optional, least_mtu_bytes, most_mtu_bytes);
    table.finish();
    return rail;
}

std::vector<std::string> names_of(const std::vector<Plane>& planes) {
    std::vector<std::string> names;
    for (const Plane& plane : planes)
        names.push_back(plane.name);
    return names;
}

}  // namespace

void read_planes(TableReader& root, Draft& draft) {
    const std::size_t before = root.mistakes().count();
    UniqueNames names;
    for (TableReader& table : root.tables("planes", Need::required, "a plane")) {
        const std::string name = table.text("name", Need::required, why_no_label);
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
    std::vector<TableReader> tables = root.tables("rails", Need::required, "a rail");
    const int last_index = static_cast<int>(tables.size()) - 1;
    for (TableReader& table : tables) {
        const Rail rail = read_rail(table, draft, last_index);
        names.add(rail.name, table.place("name"), root.mistakes());
        if (rail.index >= 0) {
            indices.add(fmt::format("{}", rail.index), table.place("index"), root.mistakes());
        }
        draft.site.rails.push_back(rail);
    }
    std::stable_sort(draft.site.rails.begin(), draft.site.rails.end(),
                     [](const Rail& a, const Rail& b) { return a.index < b.index; });
    draft.are_rails_right = root.mistakes().count() == before;
}

std::optional<int> find_plane(const Draft& draft, const std::string& name, const Place& place,
                              Mistakes& mistakes) {
    if (name.empty() || !draft.are_planes_right) return std::nullopt;
    const std::vector<std::string> names = names_of(draft.site.planes);
    const auto plane = std::find(names.begin(), names.end(), name);
    if (plane != names.end()) return static_cast<int>(plane - names.begin());
    const std::string meant = nearest(name, names);
    mistakes.add(place, fmt::format("there is no plane {}", quoted(name)),
                 fmt::format("planes has {}", listed(names)),
                 meant.empty() ? "use one of them or add it there"
                               : fmt::format("did you mean {}?", quoted(meant)));
    return std::nullopt;
}

bool check_rail(const Draft& draft, int rail, const Place& place, Mistakes& mistakes) {
    if (!draft.are_rails_right) return false;
    const auto rails = static_cast<int>(draft.site.rails.size());
    if (rail >= 0 && rail < rails) return true;
    mistakes.add(place, fmt::format("there is no rail {}", rail),
                 fmt::format("rails has 0 to {}", rails - 1), "use one of them or add it there");
    return false;
}

void UniqueNames::add(const std::string& name, const Place& place, Mistakes& mistakes) {
    if (name.empty()) return;
    const auto [first, is_new] = lines_.emplace(name, place.line);
    if (is_new) return;
    mistakes.add(place, fmt::format("{} appears twice", quoted(name)),
                 fmt::format("the first is on line {}", first->second),
                 "give each its own, or remove one");
}

}  // namespace railgauge::site
