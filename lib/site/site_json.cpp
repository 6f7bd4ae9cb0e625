// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "site/site.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of the documentation

Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json or_null(const std::optional<int>& number) {
    return number ? Json(*number) : Json();
}

template <class T>
const T& at(const std::vector<T>& items, int index) {
    return items[static_cast<std::size_t>(index)];
}

Json rails_json(const Site& site) {
    Json rails = Json::array();
    for (const Rail& rail : site.rails) {
        rails.push_back({{"index", rail.index},
                         {"name", rail.name},
                         {"plane", at(site.planes, rail.plane).name},
                         {"rate_gbit_per_s", rail.rate_gbit_per_s},
                         {"mtu_bytes", or_null(rail.mtu_bytes)}});
    }
    return rails;
}

Json ports_json(const Site& site, const NodeGroup& group) {
    Json ports = Json::array();
    for (const Port& port : group.ports) {
        ports.push_back({{"rail", port.rail < 0 ? Json() : Json(port.rail)},
                         {"plane", at(site.planes, port.plane).name},
                         {"rdma", or_null(port.rdma)},
                         {"netdev", or_null(port.netdev)},
                         {"rate_gbit_per_s", port.rate_gbit_per_s},
                         {"mtu_bytes", or_null(port.mtu_bytes)}});
    }
    return ports;
}

Json groups_json(const Site& site) {
    Json groups = Json::array();
    for (const NodeGroup& group : site.groups) {
        groups.push_back({{"name", group.name},
                          {"hosts", Json::array()},
                          {"gpus", or_null(group.gpus)},
                          {"ports", ports_json(site, group)}});
    }
    for (const Host& host : site.hosts)
        groups[static_cast<std::size_t>(host.group)]["hosts"].push_back(host.name);
    return groups;
}

Json leaves_json(const Site& site) {
    Json leaves = Json::array();
    for (const Leaf& leaf : site.leaves) {
        Json hosts = Json::array();
        for (const int host : leaf.hosts)
            hosts.push_back(at(site.hosts, host).name);
        Json planes = Json::array();
        for (const int plane : leaf.planes)
            planes.push_back(at(site.planes, plane).name);
        leaves.push_back(
            {{"name", leaf.name}, {"nodes", hosts}, {"rails", leaf.rails}, {"planes", planes}});
    }
    return leaves;
}

}  // namespace

std::string site_json(const Site& site) {
    Json planes = Json::array();
    for (const Plane& plane : site.planes)
        planes.push_back({{"name", plane.name}});
    const Json json{{"format", site.format},
                    {"name", site.name},
                    {"control_interface", site.control_interface.value_or("shared")},
                    {"planes", planes},
                    {"rails", rails_json(site)},
                    {"groups", groups_json(site)},
                    {"leaves", leaves_json(site)}};
    return json.dump();
}

}  // namespace railgauge
