// SPDX-License-Identifier: Apache-2.0
// Linux, Documentation/ABI/stable/sysfs-class-infiniband.
#include "verbs/list_ports.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <tuple>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
}

/// Names in a folder; none when there is no such folder.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
        names.push_back(at->path().filename().string());
    return names;
}

int number_of(const std::string& text, int otherwise) {
    int number = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

void add(std::vector<std::string>& names, const std::string& name) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
}

/// Interfaces of the device's bus address; dev_port counts the ports of one that has several.
void add_interfaces_of_device(const fs::path& device, ListedPort& port) {
    for (const std::string& interface : names_in(device / "device/net")) {
        const int index = number_of(first_line(device / "device/net" / interface / "dev_port"), 0);
        const bool is_only = names_in(device / "ports").size() == 1;
        if (is_only || index + 1 == port.number) add(port.interfaces, interface);
    }
}

ListedPort read_port(const fs::path& device, const std::string& number) {
    const fs::path folder = device / "ports" / number;
    ListedPort port{device.filename().string(), number_of(number, 1), false, {}};
    port.is_active = first_line(folder / "state").find("ACTIVE") != std::string::npos;
    const fs::path netdevs = folder / "gid_attrs/ndevs";
    for (const std::string& index : names_in(netdevs))
        add(port.interfaces, first_line(netdevs / index));
    add_interfaces_of_device(device, port);
    std::sort(port.interfaces.begin(), port.interfaces.end());
    return port;
}

}  // namespace

std::vector<ListedPort> list_ports(const fs::path& root) {
    std::vector<ListedPort> ports;
    const fs::path devices = root / "sys/class/infiniband";
    for (const std::string& device : names_in(devices)) {
        for (const std::string& number : names_in(devices / device / "ports"))
            ports.push_back(read_port(devices / device, number));
    }
    std::sort(ports.begin(), ports.end(), [](const ListedPort& a, const ListedPort& b) {
        return std::tie(a.device, a.number) < std::tie(b.device, b.number);
    });
    return ports;
}

}  // namespace railgauge
