// SPDX-License-Identifier: Apache-2.0
#include "transport/fabric_options.hpp"

#include <CLI/CLI.hpp>

namespace railgauge {

void FabricOptions::add_to(CLI::App& app) {
    CLI::Option_group& group =
        *app.add_option_group("Fabric", "How RDMA is used; of --backend verbs and ucx");
    const auto add_number = [&](const char* flag, int& value, const char* help, int least, int most,
                                const char* unset) {
        CLI::Option* const option = group.add_option(flag, value, help)
                                        ->check(CLI::Range(least, most).description(""))
                                        ->type_name("NUMBER");
        if (unset != nullptr) {
            option->default_str(unset);
        } else {
            option->capture_default_str();
        }
    };
    group
        .add_option("--device", device,
                    "RDMA device, or the network interface on it: mlx5_0, mlx5_0:1, rdma0")
        ->type_name("NAME")
        ->default_str("that of the rank's rail, or the only one with an active port");
    group.add_option("--gid-kind", gid_kind, "RoCE: which address: auto, ipv4, ipv6, link-local")
        ->check(CLI::IsMember({"auto", "ipv4", "ipv6", "link-local"}).description(""))
        ->type_name("NAME")
        ->capture_default_str();
    add_number("--gid-index", gid_index, "RoCE: the address by its index", 0, 65'535,
               "by --gid-kind");
    add_number("--traffic-class", traffic_class, "RoCE: traffic class, DSCP x 4", 0, 255, "0");
    add_number("--service-level", service_level, "InfiniBand: SL; RoCE: priority", 0, 15, "0");
    add_number("--pkey-index", pkey_index, "InfiniBand: index of the partition key", 0, 65'535,
               nullptr);
    add_number("--mtu", path_mtu, "Path MTU in bytes: 256, 512, 1024, 2048 or 4096", 256, 4096,
               "the least of both ends");
    add_number("--inline", inline_bytes, "Messages of so many bytes travel in the work request", 0,
               4096, "what the device offers, up to 220");
    add_number("--retries", retries, "Repeats of a packet before a connection is given up", 0, 7,
               nullptr);
    add_number("--retry-timeout", timeout_exponent,
               "A packet is repeated after 4.096 us x 2^NUMBER without an answer", 1, 31, nullptr);
    group.add_option("--ucx-tls", ucx_tls, "UCX: transports, as UCX_TLS: rc_verbs,self")
        ->type_name("NAMES")
        ->default_str("UCX's choice");
}

}  // namespace railgauge
