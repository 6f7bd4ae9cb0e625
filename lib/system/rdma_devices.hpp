// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railgauge {

/// One address of a port.
struct RdmaGid {
    unsigned index = 0;
    std::string gid;                    ///< as sysfs writes it, fe80:0000:...
    std::optional<std::string> type;    ///< "IB/RoCE v1", "RoCE v2"
    std::optional<std::string> netdev;  ///< the network interface whose address it is
};

/// A port of an RDMA device; what sysfs does not tell is absent.
struct RdmaPort {
    unsigned number = 0;
    std::optional<std::string> link_layer;  ///< "Ethernet", "InfiniBand"
    std::optional<std::string> state;       ///< "ACTIVE", "DOWN", ...
    std::optional<std::string> phys_state;  ///< "LinkUp", ...
    std::optional<std::string> rate;        ///< "400 Gb/sec (4X NDR)"
    std::optional<double> rate_gbps;
    std::optional<std::uint64_t> netdev_mtu;  ///< B, of the interface of the first GID that has one
    std::optional<std::uint64_t> active_mtu;  ///< B, of RDMA packets' payload, see path_mtu()
    std::optional<std::uint64_t> lid;
    std::optional<std::uint64_t> sm_lid;
    std::optional<std::uint64_t> gid_count;  ///< of those that are not zero
    std::vector<RdmaGid> gids;               ///< those that are not zero, 64 at most
};

struct RdmaDevice {
    std::string name;
    std::optional<std::string> driver;       ///< of the PCI device (mlx5_core, ice); rxe
    std::optional<std::string> rdma_driver;  ///< where it is another one: mlx5_ib, irdma
    std::optional<std::string> model;        ///< hca_type
    std::optional<std::string> node_guid;
    std::optional<std::string> board_id;
    std::optional<std::string> firmware;
    std::optional<std::string> pci;  ///< 0000:1b:00.0
    std::optional<std::uint64_t> numa_node;
    std::vector<RdmaPort> ports;
};

/// The RDMA devices in `<class_folder>/infiniband`, by name; none where there is no such folder.
std::optional<std::vector<RdmaDevice>> read_rdma_devices(
    const std::string& class_folder = "/sys/class");

/// Payload that a RoCE packet may have on an interface of `netdev_mtu` B: the largest of 256, 512,
/// ... 4096 that fits with its headers. Drivers take off 0 to 96 B for these (96: iboe_get_mtu() of
/// Linux); none where that decides.
std::optional<std::uint64_t> path_mtu(std::uint64_t netdev_mtu);

}  // namespace railgauge
