// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace railgauge {

/// A port of an RDMA device, as the kernel shows it.
struct ListedPort {
    std::string device;
    int number = 1;
    bool is_active = false;
    std::vector<std::string> interfaces;  ///< network interfaces on it, VLANs too; may be none
};

/// Every port of this node, by device name and number. @param root where /sys is looked for
std::vector<ListedPort> list_ports(const std::filesystem::path& root = "/");

}  // namespace railgauge
