// SPDX-License-Identifier: Apache-2.0
#include "system/rdma_facts.hpp"

#include <chrono>
#include <optional>

#include "system/facts_within.hpp"
#include "system/rdma_devices.hpp"

namespace railgauge {
namespace {

using nlohmann::json;

template <class Value>
void add(json& facts, const char* key, const std::optional<Value>& value) {
    if (value) facts[key] = *value;
}

json describe(const RdmaGid& gid) {
    json facts{{"index", gid.index}, {"gid", gid.gid}};
    add(facts, "type", gid.type);
    add(facts, "netdev", gid.netdev);
    return facts;
}

json describe(const RdmaPort& port) {
    json facts{{"port", port.number}};
    add(facts, "link_layer", port.link_layer);
    add(facts, "state", port.state);
    add(facts, "phys_state", port.phys_state);
    add(facts, "rate", port.rate);
    add(facts, "rate_gbps", port.rate_gbps);
    add(facts, "netdev_mtu", port.netdev_mtu);
    add(facts, "active_mtu", port.active_mtu);
    add(facts, "lid", port.lid);
    add(facts, "sm_lid", port.sm_lid);
    add(facts, "gid_count", port.gid_count);
    if (!port.gid_count) return facts;
    facts["gids"] = json::array();
    for (const RdmaGid& gid : port.gids)
        facts["gids"].push_back(describe(gid));
    return facts;
}

json describe(const RdmaDevice& device) {
    json facts{{"name", device.name}, {"ports", json::array()}};
    add(facts, "driver", device.driver);
    add(facts, "rdma_driver", device.rdma_driver);
    add(facts, "model", device.model);
    add(facts, "node_guid", device.node_guid);
    add(facts, "board_id", device.board_id);
    add(facts, "firmware", device.firmware);
    add(facts, "pci", device.pci);
    add(facts, "numa_node", device.numa_node);
    for (const RdmaPort& port : device.ports)
        facts["ports"].push_back(describe(port));
    return facts;
}

json ask(const std::string& class_folder) {
    json facts = json::object();
    const auto devices = read_rdma_devices(class_folder);
    if (!devices) return facts;
    facts["rdma_devices"] = json::array();
    for (const RdmaDevice& device : *devices)
        facts["rdma_devices"].push_back(describe(device));
    return facts;
}

}  // namespace

json rdma_facts(const std::string& class_folder) {
    return facts_within(std::chrono::seconds(3), [class_folder] { return ask(class_folder); },
                        {{"rdma_sysfs", "no answer"}});
}

}  // namespace railgauge
