// SPDX-License-Identifier: Apache-2.0
#include "site/site.hpp"

#include <algorithm>

namespace railgauge {
namespace {

template <class T>
const T& at(const std::vector<T>& items, int index) {
    return items[static_cast<std::size_t>(index)];
}

template <class Predicate>
const Port* find_port(const NodeGroup& group, Predicate is_meant) {
    const auto port = std::find_if(group.ports.begin(), group.ports.end(), is_meant);
    return port == group.ports.end() ? nullptr : &*port;
}

}  // namespace

const Port* NodeGroup::port_of_rail(int rail) const {
    return rail < 0 ? nullptr : find_port(*this, [&](const Port& p) { return p.rail == rail; });
}

const Port* NodeGroup::port_of_device(std::string_view device) const {
    if (device.empty()) return nullptr;
    return find_port(*this, [&](const Port& p) { return p.rdma == device || p.netdev == device; });
}

bool Leaf::carries(int host, const Port& port) const {
    return std::binary_search(hosts.begin(), hosts.end(), host) &&
           (std::binary_search(rails.begin(), rails.end(), port.rail) ||
            std::binary_search(planes.begin(), planes.end(), port.plane));
}

const NodeGroup* Site::group_of(std::string_view host) const {
    const auto number = host_index.find(host);
    return number ? &at(groups, at(hosts, *number).group) : nullptr;
}

std::optional<int> Site::rail_of_device(std::string_view host, std::string_view device) const {
    const NodeGroup* group = group_of(host);
    const Port* port = group == nullptr ? nullptr : group->port_of_device(device);
    if (port == nullptr || port->rail < 0) return std::nullopt;
    return port->rail;
}

const Port* Site::port_of(std::string_view host, int rail) const {
    const NodeGroup* group = group_of(host);
    return group == nullptr ? nullptr : group->port_of_rail(rail);
}

const Plane* Site::plane_of(int rail) const {
    const bool exists = rail >= 0 && static_cast<std::size_t>(rail) < rails.size();
    return exists ? &at(planes, at(rails, rail).plane) : nullptr;
}

const Leaf* Site::leaf_of(std::string_view host, int rail) const {
    const Port* port = port_of(host, rail);
    if (port == nullptr) return nullptr;
    const int number = *host_index.find(host);
    const auto leaf = std::find_if(leaves.begin(), leaves.end(),
                                   [&](const Leaf& l) { return l.carries(number, *port); });
    return leaf == leaves.end() ? nullptr : &*leaf;
}

std::optional<double> Site::rate_gbit_per_s(std::string_view host, int rail) const {
    const Port* port = port_of(host, rail);
    if (port == nullptr) return std::nullopt;
    return port->rate_gbit_per_s;
}

}  // namespace railgauge
