// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "site/draft.hpp"
#include "site/limits.hpp"

namespace railgauge::site {
namespace {

/// Hosts that the file has named before, of one pattern.
struct Repeated {
    std::size_t count = 0;
    std::string first;
    std::uint32_t first_line = 0;
};

Repeated add_hosts(std::vector<std::string> hosts, std::uint32_t line, int group, Draft& draft) {
    Repeated repeated;
    for (std::string& host : hosts) {
        if (const auto same = draft.site.host_index.add(host)) {
            if (repeated.count++ > 0) continue;
            repeated.first_line = draft.host_lines[static_cast<std::size_t>(*same)];
            repeated.first = std::move(host);
            continue;
        }
        draft.site.hosts.push_back({std::move(host), group});
        draft.host_lines.push_back(line);
    }
    return repeated;
}

/// A range that overlaps another is one mistake, not one per host.
void report(const Repeated& repeated, const Place& place, Mistakes& mistakes) {
    if (repeated.count == 0) return;
    const std::string hosts =
        repeated.count == 1
            ? fmt::format("host {} is", quoted(repeated.first))
            : fmt::format("host {} and {} more are", quoted(repeated.first), repeated.count - 1);
    mistakes.add(place, fmt::format("{} listed again", hosts),
                 fmt::format("line {} lists it, with or without a domain", repeated.first_line),
                 "list every node once, in one group");
}

void read_hosts(TableReader& table, int group, Draft& draft) {
    for (const Located<std::string>& pattern : table.texts("hosts", Need::required)) {
        std::vector<std::string> hosts =
            expand_or_report(pattern, most_hosts - draft.expanded_hosts, table.mistakes());
        draft.expanded_hosts += hosts.size();
        const Repeated repeated = add_hosts(std::move(hosts), pattern.place.line, group, draft);
        report(repeated, pattern.place, table.mistakes());
    }
}

/// A port is on a rail, which has its plane, or on a plane only.
void read_place(TableReader& table, const Draft& draft, Port& port) {
    const auto rail = table.integer("rail", Need::optional, 0, 1 << 30);
    const std::string plane = table.text("plane", Need::optional, label);
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
    port.rdma = table.text("rdma", Need::optional, rdma_device_name);
    port.netdev = table.text("netdev", Need::optional, interface_name);
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
    std::vector<Port> ports;
    UniqueNames rails;
    UniqueNames devices;
    for (TableReader& table : group.tables("ports", Need::optional, "a port", most_ports)) {
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
    for (TableReader& table : root.tables("groups", Need::required, "a group", most_groups)) {
        NodeGroup group;
        group.name = table.text("name", Need::required, label);
        names.add(group.name, table.place("name"), root.mistakes());
        const auto number = static_cast<int>(draft.site.groups.size());
        read_hosts(table, number, draft);
        group.gpus = table.integer("gpus", Need::optional, 0, most_gpus);
        group.ports = read_ports(table, draft);
        table.finish();
        draft.site.groups.push_back(std::move(group));
    }
    draft.are_groups_right = root.mistakes().count() == before;
}

}  // namespace railgauge::site
