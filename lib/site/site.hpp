// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "site/host_index.hpp"

namespace railgauge {

/// A failure domain of the fabric: what keeps working when the others are down.
struct Plane {
    std::string name;
};

/// Ports of equal index on all nodes, which reach each other without crossing to another rail.
struct Rail {
    int index = 0;
    std::string name;
    int plane = 0;  ///< index into Site::planes
    double rate_gbit_per_s = 0;
    std::optional<int> mtu_bytes;
};

/// One fabric port of every node of a group.
struct Port {
    int rail = -1;               ///< -1 = on a plane, but on no rail
    int plane = 0;               ///< index into Site::planes
    std::string rdma;            ///< RDMA device; empty = none
    std::string netdev;          ///< network device; empty = none
    double rate_gbit_per_s = 0;  ///< nominal, per direction: the rail's unless the port has its own
    std::optional<int> mtu_bytes;
};

/// Nodes that are built alike.
struct NodeGroup {
    std::string name;
    std::optional<int> gpus;  ///< per node; none = not said
    std::vector<Port> ports;

    /// The port on `rail`, or nullptr.
    const Port* port_of_rail(int rail) const;

    /// The port whose RDMA or network device `device` is, or nullptr.
    const Port* port_of_device(std::string_view device) const;
};

struct Host {
    std::string name;  ///< as the site file has it: short or with its domain
    int group = 0;     ///< index into Site::groups
};

/// A switch that nodes are cabled to.
struct Leaf {
    std::string name;
    std::vector<int> hosts;   ///< indices into Site::hosts, ascending
    std::vector<int> rails;   ///< of these nodes' ports, those on these rails, ascending
    std::vector<int> planes;  ///< and those in these planes; indices into Site::planes, ascending

    bool carries(int host, const Port& port) const;
};

/// What the cluster should be, as its site file says (docs/site-file.md). Facts only: what follows
/// from them is judged elsewhere.
///
/// Hosts are found by their short name or with their domain, whichever the site file has, in upper
/// or lower case. Lookups of hosts, rails and devices that the site does not have answer nullptr or
/// nullopt.
struct Site {
    int format = 1;
    std::string name;
    std::optional<std::string> control_interface;  ///< none = shared with a rail
    std::vector<Plane> planes;
    std::vector<Rail> rails;  ///< rails[i].index is i
    std::vector<NodeGroup> groups;
    std::vector<Host> hosts;
    std::vector<Leaf> leaves;
    HostIndex host_index;

    const NodeGroup* group_of(std::string_view host) const;

    /// The rail of an RDMA or network device of `host`.
    std::optional<int> rail_of_device(std::string_view host, std::string_view device) const;

    /// The port of `host` on `rail`.
    const Port* port_of(std::string_view host, int rail) const;

    const Plane* plane_of(int rail) const;

    /// The leaf that carries the port of `host` on `rail`.
    const Leaf* leaf_of(std::string_view host, int rail) const;

    /// Nominal rate of the port of `host` on `rail`, Gbit/s (1e9 bit/s) per direction.
    std::optional<double> rate_gbit_per_s(std::string_view host, int rail) const;
};

/// Reads a site file. `file_name` is only quoted in messages.
/// @throws Error(usage) "<file>:<line>: <key>: <problem> (<why>); <remedy>" for the first mistake,
///         and how many more there are
Site parse_site(std::string_view text, const std::string& file_name);

/// All that the site file says as one JSON object, defaults filled in and host ranges expanded:
/// what Python reads (docs/site-file.md).
std::string site_json(const Site& site);

}  // namespace railgauge
