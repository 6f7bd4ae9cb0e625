// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include <nlohmann/json.hpp>

namespace railgauge {

/// The library that RAILGAUGE_NVML names, else NVML as the driver installs it; empty = ask none.
std::string nvml_file();

/// Facts of this node's GPUs, whichever of them the process sees: `gpu_driver` and `gpus`
/// (docs/run-file.md, /nodes). What cannot be read is absent, and everything where there is no
/// NVML. Where it does not answer within `patience`, `nvml` says so and all else is absent; the
/// thread that asked is left behind.
nlohmann::json gpu_facts(const std::string& file,
                         std::chrono::milliseconds patience = std::chrono::seconds(3));

}  // namespace railgauge
