// SPDX-License-Identifier: Apache-2.0
#include "site/draft.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "site/host_pattern.hpp"

namespace railgauge::site {
namespace {

std::vector<std::string> names_of(const std::vector<Plane>& planes) {
    std::vector<std::string> names;
    names.reserve(planes.size());
    for (const Plane& plane : planes)
        names.push_back(plane.name);
    return names;
}

}  // namespace

std::vector<std::string> expand_or_report(const Located<std::string>& pattern, std::size_t most,
                                          Mistakes& mistakes) {
    HostExpansion expansion = expand_hosts(pattern.value, most);
    if (!expansion.why.empty()) {
        mistakes.add(pattern.place, fmt::format("{} names no hosts", quoted(pattern.value)),
                     expansion.why, "write gpu01, or gpu[01-12] for a range");
    }
    return std::move(expansion.hosts);
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
