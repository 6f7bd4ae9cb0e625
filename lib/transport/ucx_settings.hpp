// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "transport/fabric_options.hpp"
#include "ucx/library.hpp"

namespace railgauge {

/// The options in UCX's words. Without --device UCX uses those of UCX_NET_DEVICES, which rank-env
/// sets to the rank's rail.
/// @param sys where the kernel lists devices: "/sys", or a test's folder
/// @throws Error(usage) for an option that UCX has no word for, and a device that does not exist
std::vector<UcxSetting> ucx_settings(const FabricOptions& options,
                                     const std::filesystem::path& sys);

}  // namespace railgauge
