// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace railgauge {

/// How the fabrics verbs and ucx are used; -1 leaves a choice to them. Words are perftest's.
struct FabricOptions {
    /// RDMA device or network interface, "mlx5_0", "mlx5_0:1" (port), "rdma0"; empty = that of the
    /// rank's rail (rank-env's RAILGAUGE_NIC), else the only one with an active port.
    std::string device;
    /// Which of a RoCE port's addresses: "auto" (IPv4, else IPv6, else link-local), "ipv4", "ipv6",
    /// "link-local"; of a port on several subnets the first.
    std::string gid_kind = "auto";
    int gid_index = -1;      ///< instead of gid_kind
    int traffic_class = -1;  ///< RoCE: the byte with DSCP and ECN bits
    int service_level = -1;  ///< InfiniBand SL, RoCE priority
    int pkey_index = 0;
    int path_mtu = -1;          ///< bytes; else the least of both ends
    int inline_bytes = -1;      ///< messages up to this size travel within the work request
    int retries = 6;            ///< of a packet; 7 would be for ever on some devices
    int timeout_exponent = 14;  ///< a packet is repeated after 4.096 us x 2^this
    std::string ucx_tls;        ///< UCX's list of transports, UCX_TLS

    void add_to(CLI::App& app);

    bool operator==(const FabricOptions&) const = default;
};

}  // namespace railgauge
