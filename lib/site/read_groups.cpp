// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "site/draft.hpp"
#include "site/host_pattern.hpp"
#include "site/limits.hpp"

namespace railgauge::site {
namespace {

/// Adds the hosts of one pattern. A range that overlaps another is one mistake, not one per host.
void add_hosts(const Located<std::string>& pattern, int group, Draft& draft, Mistakes& mistakes) {
    HostExpansion expansion = expand_hosts(pattern.value, most_hosts - draft.site.hosts.size());
    if (!expansion.why.empty()) {
        mistakes.add(pattern.place, fmt::format("{} names no hosts", quoted(pattern.value)),
                     expansion.why, "write gpu01, or gpu[01-12] for a range");
        return;
    }
    std::size_t repeated = 0;
    std::string first;
    std::uint32_t first_line = 0;
    for (std::string& host : expansion.hosts) {
        if (const auto same = draft.site.host_index.add(host)) {
            if (repeated++ > 0) continue;
            first = host;
            first_line = draft.host_lines[static_cast<std::size_t>(*same)];
            continue;
        }
        draft.site.hosts.push_back({std::move(host), group});
        draft.host_lines.push_back(pattern.place.line);
    }
    if (repeated == 0) return;
    const std::string others = repeated == 1 ? "" : fmt::format(" and {} more", repeated - 1);
    mistakes.add(pattern.place, fmt::format("host {}{} appear(s) twice", quoted(first), others),
                 fmt::format("line {} has it already", first_line),
                 "name every host once; a name with a domain and one without mean the same node");
}

/// A port is on a rail, which has its plane, or on a plane only.
void read_place(TableReader& table, const Draft& draft, Port& port) {
    const auto rail = table.integer("rail", Need::optional, 0, 1 << 30);
    const std::string plane = table.text("plane", Need::optional, why_no_label);
    if (table.has("rail") == table.has("plane")) {
        table.mistakes().add(table.place(), "a port has either a rail or a plane",
                             table.has("rail")
                                 ? "this one has both, and its rail has a plane already"
                                 : "this one has none of them",
                             "keep rail for a port that belongs to one, else plane");
        return;
    }
    if (rail && check_rail(draft, *rail, table.place("rail"), table.mistakes())) {
        port.rail = *rail;
        port.plane = draft.site.rails[static_cast<std::size_t>(*rail)].plane;
    }
    port.plane =
        find_plane(draft, plane, table.place("plane"), table.mistakes()).value_or(port.plane);
}

Port read_port(TableReader& table, const Draft& draft) {
    Port port;
    read_place(table, draft, port);
    port.rdma = table.text("rdma", Need::optional, why_no_rdma_device);
    port.netdev = table.text("netdev", Need::optional, why_no_interface);
    if (!table.has("rdma") && !table.has("netdev")) {
        table.mistakes().add(table.place(), "a port has no device", "nothing says how to reach it",
                             "add rdma, netdev or both");
    }
    const Rail* rail =
        port.rail < 0 ? nullptr : &draft.site.rails[static_cast<std::size_t>(port.rail)];
    const Need need = table.has("rail") ? Need::optional : Need::required;
    const auto rate = table.number("rate_gbit_per_s", need, 0, most_gbit_per_s, "Gbit/s");
    port.rate_gbit_per_s = rate.value_or(rail == nullptr ? 0 : rail->rate_gbit_per_s);
    port.mtu_bytes = table.integer("mtu_bytes", Need::optional, least_mtu_bytes, most_mtu_bytes);
    if (!port.mtu_bytes && rail != nullptr) port.mtu_bytes = rail->mtu_bytes;
    table.finish();
    return port;
}

std::vector<Port> read_ports(TableReader& group, const Draft& draft) {
    std::vector<TableReader> tables = group.tables("ports", Need::optional, "a port");
    if (tables.size() > most_ports) {
        group.mistakes().add(group.place("ports"), fmt::format("{} ports", tables.size()),
                             fmt::format("a node has at most {}", most_ports), "remove some");
        return {};
    }
    std::vector<Port> ports;
    UniqueNames rails;
    UniqueNames devices;
    for (TableReader& table : tables) {
        const Port port = read_port(table, draft);
        if (port.rail >= 0) {
            rails.add(fmt::format("{}", port.rail), table.place("rail"), group.mistakes());
        }
        devices.add(port.rdma, table.place("rdma"), group.mistakes());
        if (port.netdev != port.rdma) {
            devices.add(port.netdev, table.place("netdev"), group.mistakes());
        }
        ports.push_back(port);
    }
    return ports;
}

}  // namespace

void read_groups(TableReader& root, Draft& draft) {
    const std::size_t before = root.mistakes().count();
    UniqueNames names;
    for (TableReader& table : root.tables("groups", Need::required, "a group")) {
        NodeGroup group;
        group.name = table.text("name", Need::required, why_no_label);
        names.add(group.name, table.place("name"), root.mistakes());
        const auto number = static_cast<int>(draft.site.groups.size());
        for (const Located<std::string>& pattern : table.texts("hosts", Need::required)) {
            add_hosts(pattern, number, draft, root.mistakes());
        }
        group.gpus = table.integer("gpus", Need::optional, 0, most_gpus);
        group.ports = read_ports(table, draft);
        table.finish();
        draft.site.groups.push_back(std::move(group));
    }
    draft.are_groups_right = root.mistakes().count() == before;
}

}  // namespace railgauge::site
