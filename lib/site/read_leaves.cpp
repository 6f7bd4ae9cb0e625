// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "site/draft.hpp"
#include "site/limits.hpp"

namespace railgauge::site {
namespace {

/// Sorts `values`; reports those that appear twice.
void sort_unique(std::vector<int>& values, const Place& place, Mistakes& mistakes) {
    std::sort(values.begin(), values.end());
    const auto end = std::unique(values.begin(), values.end());
    if (end == values.end()) return;
    values.erase(end, values.end());
    mistakes.add(place, "an entry appears twice", "each can be on a leaf once", "remove one");
}

/// The numbers of a pattern's hosts. Hosts of a range that are in no group are one mistake.
std::vector<int> find_hosts(const std::vector<std::string>& hosts, const Place& place,
                            const Draft& draft, Mistakes& mistakes) {
    std::vector<int> numbers;
    std::vector<std::string> unknown;
    for (const std::string& host : hosts) {
        if (const auto number = draft.site.host_index.find(host)) {
            numbers.push_back(*number);
        } else {
            unknown.push_back(host);
        }
    }
    if (!unknown.empty() && draft.are_groups_right) {
        mistakes.add(place, fmt::format("no group has {}", listed(unknown)),
                     "a leaf carries nodes of the groups", "correct it, or add it to a group");
    }
    return numbers;
}

class LeafReader {
  public:
    LeafReader(Draft& draft, Mistakes& mistakes) : draft_(draft), mistakes_(mistakes) {}

    void read(TableReader& table) {
        Leaf leaf;
        leaf.name = table.text("name", Need::required, label);
        names_.add(leaf.name, table.place("name"), mistakes_);
        read_hosts(table, leaf);
        read_carried(table, leaf);
        table.finish();
        if (mistakes_.count() == 0) claim_ports(table, leaf);
        draft_.site.leaves.push_back(std::move(leaf));
    }

  private:
    void read_hosts(TableReader& table, Leaf& leaf) {
        for (const Located<std::string>& pattern : table.texts("nodes", Need::required)) {
            const std::vector<std::string> hosts =
                expand_or_report(pattern, most_leaf_memberships - memberships_, mistakes_);
            memberships_ += hosts.size();
            const std::vector<int> found = find_hosts(hosts, pattern.place, draft_, mistakes_);
            leaf.hosts.insert(leaf.hosts.end(), found.begin(), found.end());
        }
        sort_unique(leaf.hosts, table.place("nodes"), mistakes_);
    }

    void read_carried(TableReader& table, Leaf& leaf) {
        for (const Located<int>& rail : table.integers("rails", Need::optional)) {
            if (check_rail(draft_, rail.value, rail.place, mistakes_)) {
                leaf.rails.push_back(rail.value);
            }
        }
        for (const Located<std::string>& name : table.texts("planes", Need::optional)) {
            const auto plane = find_plane(draft_, name.value, name.place, mistakes_);
            if (plane) leaf.planes.push_back(*plane);
        }
        sort_unique(leaf.rails, table.place("rails"), mistakes_);
        sort_unique(leaf.planes, table.place("planes"), mistakes_);
        if (table.has("rails") || table.has("planes")) return;
        mistakes_.add(table.place(), "the leaf carries nothing", "it has neither rails nor planes",
                      "say which ports of its nodes it carries");
    }

    /// A port is cabled to one leaf, and a node is on a leaf by at least one port.
    void claim_ports(const TableReader& table, const Leaf& leaf) {
        for (const int host : leaf.hosts) {
            const std::size_t index = static_cast<std::size_t>(host);
            const NodeGroup& group =
                draft_.site.groups[static_cast<std::size_t>(draft_.site.hosts[index].group)];
            if (!claim(table, leaf, host, group)) return;
        }
    }

    /// @return false when something was wrong: the leaf's other nodes are then likely wrong as well
    bool claim(const TableReader& table, const Leaf& leaf, int host, const NodeGroup& group) {
        const std::string& name = draft_.site.hosts[static_cast<std::size_t>(host)].name;
        bool has_port = false;
        for (std::size_t i = 0; i < group.ports.size(); ++i) {
            if (!leaf.carries(host, group.ports[i])) continue;
            has_port = true;
            const std::uint64_t port = static_cast<std::uint64_t>(host) * most_ports + i;
            const auto [line, is_new] = carriers_.emplace(port, table.place().line);
            if (is_new) continue;
            mistakes_.add(table.place(),
                          fmt::format("port {} of {} is on two leaves", i, quoted(name)),
                          fmt::format("the leaf on line {} carries it, too", line->second),
                          "correct nodes, rails or planes of one of them");
            return false;
        }
        if (has_port) return true;
        mistakes_.add(
            table.place("nodes"), fmt::format("{} has no port on the leaf", quoted(name)),
            fmt::format("group {} has none on these rails and planes", quoted(group.name)),
            "correct nodes, rails or planes");
        return false;
    }

    Draft& draft_;
    Mistakes& mistakes_;
    UniqueNames names_;
    std::size_t memberships_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> carriers_;
};

}  // namespace

void read_leaves(TableReader& root, Draft& draft) {
    LeafReader reader(draft, root.mistakes());
    for (TableReader& table : root.tables("leaves", Need::optional, "a leaf", most_leaves))
        reader.read(table);
}

}  // namespace railgauge::site
