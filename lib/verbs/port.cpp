// SPDX-License-Identifier: Apache-2.0
#include "verbs/port.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <net/if.h>

#include "base/error.hpp"
#include "verbs/check.hpp"
#include "verbs/mtu.hpp"

namespace railgauge {
namespace {

DeviceContext open_device(const std::string& name) {
    int count = 0;
    const DeviceList list(ibv_get_device_list(&count));
    if (!list)
        throw_verbs_error(errno, "listing the RDMA devices", "load the kernel module ib_uverbs");
    for (int i = 0; i < count; ++i) {
        ibv_device* const device = list.get()[i];
        if (name != ibv_get_device_name(device)) continue;
        DeviceContext context(ibv_open_device(device));
        if (!context)
            throw_verbs_error(errno, fmt::format("opening the RDMA device {}", name),
                              "check the permissions of /dev/infiniband; a container must be given "
                              "its files");
        return context;
    }
    throw Error(ExitCode::usage, fmt::format("the RDMA device {} cannot be used", name),
                "the kernel has it and libibverbs does not know it",
                "install its driver of rdma-core (package ibverbs-providers)");
}

void require_active(const Port& port) {
    if (port.state.state == IBV_PORT_ACTIVE) return;
    throw Error(ExitCode::library, fmt::format("{} is not active", port.name),
                fmt::format("its state is {}", ibv_port_state_str(port.state.state)),
                "check the cable, the switch port and, for InfiniBand, the subnet manager; or name "
                "another with --device");
}

void require_pkey(const Port& port) {
    if (port.options.pkey_index < port.state.pkey_tbl_len) return;
    throw Error(
        ExitCode::usage, fmt::format("--pkey-index {} does not exist", port.options.pkey_index),
        fmt::format("{} has a table of {} partition keys", port.name, port.state.pkey_tbl_len),
        "use a smaller one");
}

void query(Port& port) {
    int result = ibv_query_device(port.context.get(), &port.limits);
    if (result == 0) result = ibv_query_port(port.context.get(), port.source.port, &port.state);
    if (result != 0)
        throw_verbs_error(result, fmt::format("asking {} for its state", port.name),
                          "see the kernel's log");
}

void find_roce_address(Port& port, const std::string& interface) {
    GidWish wish = port.options.gid;
    wish.interface_index = interface.empty() ? 0 : if_nametoindex(interface.c_str());
    const ibv_gid_entry entry = wait_for_gid(*port.context, port.source.port, wish, port.name);
    port.end.gid = entry.gid;
    port.source.gid_index = static_cast<std::uint8_t>(entry.gid_index);
}

void find_infiniband_address(Port& port) {
    const unsigned index = port.options.gid.index.value_or(0);
    const int result =
        ibv_query_gid(port.context.get(), port.source.port, static_cast<int>(index), &port.end.gid);
    if (result != 0)
        throw Error(ExitCode::usage, fmt::format("{} has no GID at index {}", port.name, index),
                    fmt::format("its table has {}", port.state.gid_tbl_len),
                    "use another --gid-index");
    port.source.gid_index = static_cast<std::uint8_t>(index);
    port.end.lid = port.state.lid;
    port.end.needs_global_header = (port.state.flags & IBV_QPF_GRH_REQUIRED) != 0;
}

void find_address(Port& port, const std::string& interface) {
    if (port.state.link_layer == IBV_LINK_LAYER_ETHERNET) {
        port.end.link_layer = LinkLayer::ethernet;
        find_roce_address(port, interface);
    } else {
        find_infiniband_address(port);
    }
}

}  // namespace

Port open_port(const ChosenPort& chosen, const PathOptions& options) {
    Port port;
    port.context = open_device(chosen.device);
    port.device = chosen.device;
    port.name = fmt::format("{}:{}", chosen.device, chosen.number);
    port.options = options;
    port.source = {static_cast<std::uint8_t>(chosen.number), 0, options.traffic_class,
                   options.service_level};
    query(port);
    require_active(port);
    require_pkey(port);
    port.mtu = offered_mtu(port.state.active_mtu, options.mtu_bytes, port.name);
    find_address(port, chosen.interface);
    port.domain.reset(ibv_alloc_pd(port.context.get()));
    if (!port.domain)
        throw_verbs_error(errno, fmt::format("making a protection domain on {}", port.name),
                          "see the device's limits with ibv_devinfo -v");
    return port;
}

}  // namespace railgauge
