// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace railgauge {

/// Facts of this node's RDMA devices: `rdma_devices` (docs/run-file.md, /nodes). What cannot be
/// read is absent, and everything where the kernel has no RDMA. Where sysfs, which asks the NICs,
/// does not answer within 3 s, `rdma_sysfs` says so.
nlohmann::json rdma_facts(const std::string& class_folder = "/sys/class");

}  // namespace railgauge
