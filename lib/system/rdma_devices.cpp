// SPDX-License-Identifier: Apache-2.0
#include "system/rdma_devices.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "system/proc_files.hpp"
#include "system/sysfs.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_gids = 64;

/// A number of a kind that from_chars reads and that is all of `text`.
template <class Number, class... Format>
std::optional<Number> parse(std::string_view text, Format... format) {
    Number number{};
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, format...);
    if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return number;
}

/// "0x1f" of a file.
std::optional<std::uint64_t> read_hex(const std::string& path) {
    const auto line = read_first_line(path);
    if (!line || !line->starts_with("0x")) return std::nullopt;
    return parse<std::uint64_t>(std::string_view(*line).substr(2), 16);
}

/// "ACTIVE" of a file that says "4: ACTIVE".
std::optional<std::string> read_state(const std::string& path) {
    auto line = read_first_line(path);
    if (!line) return line;
    const auto colon = line->find(": ");
    const bool is_numbered = colon != std::string::npos && parse_number(line->substr(0, colon));
    return is_numbered ? line->substr(colon + 2) : line;
}

/// 2.5 of "2.5 Gb/sec (1X SDR)".
std::optional<double> parse_rate(const std::string& text) {
    const auto words = split_words(text);
    if (words.size() < 2 || words[1] != "Gb/sec") return std::nullopt;
    return parse<double>(words[0], std::chars_format::fixed);
}

bool is_zero(std::string_view gid) {
    return gid.find_first_not_of("0:") == std::string_view::npos;
}

void read_gids(const std::string& folder, RdmaPort& port) {
    std::error_code failed;
    if (!fs::is_directory(folder + "/gids", failed)) return;
    port.gid_count = 0;
    for (const FolderEntry& entry : list_folder(folder + "/gids")) {
        const auto index = parse<unsigned>(entry.name);
        const auto gid = read_first_line(folder + "/gids/" + entry.name);
        if (!index || !gid || is_zero(*gid)) continue;
        ++*port.gid_count;
        if (port.gids.size() == most_gids) continue;
        port.gids.push_back({*index, *gid,
                             read_first_line(folder + "/gid_attrs/types/" + entry.name),
                             read_first_line(folder + "/gid_attrs/ndevs/" + entry.name)});
    }
}

void read_mtu(const std::string& class_folder, RdmaPort& port) {
    const auto named = std::find_if(port.gids.begin(), port.gids.end(),
                                    [](const RdmaGid& gid) { return gid.netdev.has_value(); });
    // A name is no way to other folders.
    if (named == port.gids.end() || named->netdev->find('/') != std::string::npos) return;
    port.netdev_mtu = read_number(open_regular(class_folder + "/net/" + *named->netdev + "/mtu"));
    if (port.netdev_mtu && port.link_layer == "Ethernet")
        port.active_mtu = path_mtu(*port.netdev_mtu);
}

RdmaPort read_port(const std::string& class_folder, const std::string& folder, unsigned number) {
    RdmaPort port;
    port.number = number;
    port.link_layer = read_first_line(folder + "/link_layer");
    port.state = read_state(folder + "/state");
    port.phys_state = read_state(folder + "/phys_state");
    port.rate = read_first_line(folder + "/rate");
    if (port.rate) port.rate_gbps = parse_rate(*port.rate);
    port.lid = read_hex(folder + "/lid");
    port.sm_lid = read_hex(folder + "/sm_lid");
    read_gids(folder, port);
    read_mtu(class_folder, port);
    return port;
}

/// Whether `name` has the form of 0000:1b:00.0.
bool is_pci_address(std::string_view name) {
    constexpr std::string_view form = "xxxx:xx:xx.x";
    const auto fits = [](char wanted, char c) {
        return wanted == 'x' ? std::string_view("0123456789abcdef").find(c) != std::string::npos
                             : c == wanted;
    };
    // The domain may have more digits than four.
    return name.size() >= form.size() && name.size() <= form.size() + 4 &&
           std::equal(form.begin(), form.end(), name.end() - form.size(), fits);
}

/// The folder of the PCI device that `device` is or belongs to; empty when there is none.
fs::path pci_folder(fs::path device) {
    while (device.has_relative_path() && !is_pci_address(device.filename().string()))
        device = device.parent_path();
    return device.has_relative_path() ? device : fs::path();
}

/// "irdma" of a link to .../drivers/irdma.gen_2.
std::optional<std::string> auxiliary_driver(const std::string& device) {
    const auto name = link_name(device + "/driver");
    if (!name) return std::nullopt;
    return name->substr(0, name->find('.'));
}

/// The driver of the auxiliary device through which a NIC's driver lends it to RDMA's:
/// mlx5_core.rdma.0, ice.roce.0, ice.iwarp.0.
std::optional<std::string> child_driver(const std::string& pci) {
    for (const FolderEntry& entry : list_folder(pci)) {
        const auto is_kind = [&](std::string_view kind) {
            return entry.name.find(kind) != std::string::npos;
        };
        if (!is_kind(".rdma.") && !is_kind(".roce.") && !is_kind(".iwarp.")) continue;
        if (auto driver = auxiliary_driver(pci + "/" + entry.name)) return driver;
    }
    return std::nullopt;
}

/// rxe stands on a network interface, without a device below it: only rxe says which (`parent`).
std::optional<std::string> software_driver(const std::string& folder) {
    const auto description = read_first_line(folder + "/node_desc");
    if (read_first_line(folder + "/parent") || (description && description->starts_with("rxe")))
        return "rxe";
    return std::nullopt;
}

void read_place(const std::string& folder, RdmaDevice& device) {
    std::error_code failed;
    const fs::path below = fs::canonical(folder + "/device", failed);
    if (failed) {
        device.driver = software_driver(folder);
        return;
    }
    const fs::path pci = pci_folder(below);
    const fs::path place = pci.empty() ? below : pci;
    device.driver = link_name(place / "driver");
    device.rdma_driver = place == below ? child_driver(below) : auxiliary_driver(below);
    if (!pci.empty()) device.pci = pci.filename().string();
    device.numa_node = read_number(open_regular(place / "numa_node"));  // -1: none
}

RdmaDevice read_device(const std::string& class_folder, const std::string& name) {
    const std::string folder = class_folder + "/infiniband/" + name;
    RdmaDevice device;
    device.name = name;
    device.model = read_first_line(folder + "/hca_type");
    device.node_guid = read_first_line(folder + "/node_guid");
    device.board_id = read_first_line(folder + "/board_id");
    device.firmware = read_first_line(folder + "/fw_ver");
    read_place(folder, device);
    for (const FolderEntry& entry : list_folder(folder + "/ports")) {
        if (const auto number = parse<unsigned>(entry.name))
            device.ports.push_back(
                read_port(class_folder, folder + "/ports/" + entry.name, *number));
    }
    return device;
}

}  // namespace

std::optional<std::uint64_t> path_mtu(std::uint64_t netdev_mtu) {
    constexpr std::uint64_t most_header_bytes = 96;
    constexpr std::array<std::uint64_t, 5> sizes{4096, 2048, 1024, 512, 256};
    for (const std::uint64_t size : sizes) {
        if (netdev_mtu >= size + most_header_bytes) return size;
        if (netdev_mtu >= size) return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::vector<RdmaDevice>> read_rdma_devices(const std::string& class_folder) {
    std::error_code failed;
    if (!fs::is_directory(class_folder + "/infiniband", failed)) return std::nullopt;
    std::vector<RdmaDevice> devices;
    for (const FolderEntry& entry : list_folder(class_folder + "/infiniband"))
        devices.push_back(read_device(class_folder, entry.name));
    return devices;
}

}  // namespace railgauge
