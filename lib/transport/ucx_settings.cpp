// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_settings.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

/// A name of the kernel's, not a path.
bool is_plain(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

/// UCX names a port of an RDMA device, and a network interface as it is. It would only warn of a
/// device that does not exist, and go over another.
std::string ucx_device(const std::string& device, const std::filesystem::path& sys) {
    const std::size_t colon = device.find(':');
    const std::string name = device.substr(0, colon);
    const std::string port = colon == std::string::npos ? "1" : device.substr(colon + 1);
    if (is_plain(name) && is_plain(port) &&
        exists(sys / "class/infiniband" / name / "ports" / port))
        return name + ":" + port;
    if (is_plain(device) && exists(sys / "class/net" / device)) return device;
    throw Error(ExitCode::usage, fmt::format("there is no device {}", device),
                "this node has no such RDMA device and port, nor such a network interface",
                "choose one of ibv_devices or ip link");
}

bool has_entries(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::directory_iterator(folder, ignored) !=
           std::filesystem::directory_iterator();
}

/// UCX would only warn of settings for devices that are not there.
void require_rdma(const FabricOptions& options, bool has_rdma) {
    const std::array<std::pair<const char*, int>, 5> asked{
        {{"--gid-index", options.gid_index},
         {"--traffic-class", options.traffic_class},
         {"--service-level", options.service_level},
         {"--mtu", options.path_mtu},
         {"--inline", options.inline_bytes}}};
    for (const auto& [flag, value] : asked) {
        if (value < 0 || has_rdma) continue;
        throw Error(ExitCode::usage, fmt::format("{} {} is refused", flag, value),
                    "this node has no RDMA device", "leave it out");
    }
}

/// UCX's list of transports, as it will see it.
std::string transports(const FabricOptions& options) {
    const char* const from_outside = std::getenv("UCX_TLS");
    if (!options.ucx_tls.empty()) return options.ucx_tls;
    return from_outside == nullptr ? "all" : from_outside;
}

/// How long a silent peer is waited for. Not set where UCX would warn that nobody reads it.
void add_patience(const FabricOptions& options, std::vector<UcxSetting>& settings) {
    const std::string list = transports(options);
    const auto uses = [&list](const char* name) {
        return list == "all" || list.find("ib") != list.npos || list.find(name) != list.npos;
    };
    if (uses("rc")) {
        // InfiniBand's local ACK timeout: 4.096 us x 2^exponent.
        const double timeout_us = std::ldexp(4.096, options.timeout_exponent);
        settings.push_back({"RC_RETRY_COUNT", std::to_string(options.retries), "--retries"});
        settings.push_back({"RC_TIMEOUT", fmt::format("{:.2f}us", timeout_us), "--retry-timeout"});
    }
    // Datagrams tell UCX that an idle peer is dead, by default only after 30 s.
    if (uses("ud") && std::getenv("UCX_UD_TIMEOUT") == nullptr)
        settings.push_back({"UD_TIMEOUT", "10s", "UCX_UD_TIMEOUT"});
}

/// @throws Error(usage) for what the verbs transport can and UCX cannot be told
void require_sayable(const FabricOptions& options) {
    if (options.gid_kind != "auto" && options.gid_index < 0) {
        throw Error(ExitCode::usage, fmt::format("--gid-kind {} is refused", options.gid_kind),
                    "UCX takes the index of an address", "use --gid-index (see show_gids)");
    }
    if (options.pkey_index != 0) {
        throw Error(ExitCode::usage, fmt::format("--pkey-index {} is refused", options.pkey_index),
                    "UCX takes the value of a partition key", "set UCX_IB_PKEY to it");
    }
}

}  // namespace

std::vector<UcxSetting> ucx_settings(const FabricOptions& options,
                                     const std::filesystem::path& sys) {
    require_sayable(options);
    std::vector<UcxSetting> settings;
    if (!options.ucx_tls.empty()) settings.push_back({"TLS", options.ucx_tls, "--ucx-tls"});
    if (!options.device.empty())
        settings.push_back({"NET_DEVICES", ucx_device(options.device, sys), "--device"});
    const bool has_rdma = has_entries(sys / "class/infiniband");
    require_rdma(options, has_rdma);
    if (!has_rdma) return settings;
    const auto add = [&settings](const char* name, int value, const char* flag) {
        if (value >= 0) settings.push_back({name, std::to_string(value), flag});
    };
    add("IB_GID_INDEX", options.gid_index, "--gid-index");
    add("IB_TRAFFIC_CLASS", options.traffic_class, "--traffic-class");
    add("IB_SL", options.service_level, "--service-level");
    add("IB_PATH_MTU", options.path_mtu, "--mtu");
    add("IB_TX_MIN_INLINE", options.inline_bytes, "--inline");
    add_patience(options, settings);
    return settings;
}

}  // namespace railgauge
