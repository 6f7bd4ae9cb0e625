// SPDX-License-Identifier: Apache-2.0
#include "verbs/choose_port.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

/// "mlx5_0:1 (rdma0, active)"
std::string describe(const ListedPort& port) {
    std::vector<std::string> notes = port.interfaces;
    notes.emplace_back(port.is_active ? "active" : "not active");
    return fmt::format("{}:{} ({})", port.device, port.number, fmt::join(notes, ", "));
}

std::string describe(std::span<const ListedPort> ports) {
    if (ports.empty()) return "this node has no RDMA device";
    std::vector<std::string> texts;
    for (const ListedPort& port : ports)
        texts.push_back(describe(port));
    return fmt::format("there are {}", fmt::join(texts, "; "));
}

[[noreturn]] void refuse(const std::string& problem, std::span<const ListedPort> ports) {
    throw Error(ExitCode::usage, problem, describe(ports),
                ports.empty() ? "load the NIC's RDMA driver, give the container "
                                "/dev/infiniband, or use another --backend"
                              : "name one of these with --device");
}

ChosenPort choose_only(std::span<const ListedPort> ports) {
    const auto is_active = [](const ListedPort& port) { return port.is_active; };
    const auto count = std::count_if(ports.begin(), ports.end(), is_active);
    if (count != 1) refuse(fmt::format("{} RDMA ports are active", count), ports);
    const auto only = std::find_if(ports.begin(), ports.end(), is_active);
    return {only->device, only->number, {}};
}

/// The first active port that fits, else the first that does.
template <class Fits>
const ListedPort* find_port(std::span<const ListedPort> ports, Fits fits) {
    const ListedPort* found = nullptr;
    for (const ListedPort& port : ports) {
        if (!fits(port)) continue;
        if (port.is_active) return &port;
        if (found == nullptr) found = &port;
    }
    return found;
}

bool has_interface(const ListedPort& port, const std::string& name) {
    return std::find(port.interfaces.begin(), port.interfaces.end(), name) != port.interfaces.end();
}

}  // namespace

PortWish port_wish(const std::string& device) {
    if (!device.empty()) return {device, "--device"};
    const char* const nic = std::getenv("RAILGAUGE_NIC");
    return {nic == nullptr ? "" : nic, "RAILGAUGE_NIC"};
}

ChosenPort choose_port(std::span<const ListedPort> ports, const PortWish& wish) {
    if (wish.name.empty()) return choose_only(ports);
    const auto is_named = [&](const ListedPort& port) {
        return wish.name == port.device ||
               wish.name == fmt::format("{}:{}", port.device, port.number);
    };
    if (const ListedPort* port = find_port(ports, is_named))
        return {port->device, port->number, {}};
    const auto has_it = [&](const ListedPort& port) { return has_interface(port, wish.name); };
    if (const ListedPort* port = find_port(ports, has_it))
        return {port->device, port->number, wish.name};
    refuse(fmt::format("{} names '{}', which is no RDMA device, nor an interface of one",
                       wish.source, wish.name),
           ports);
}

}  // namespace railgauge
