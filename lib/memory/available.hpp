// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace railgauge {

/// Bytes this process could still be given without driving the node out of memory: the kernel's
/// MemAvailable, or what is left below the memory limit of a control group around this process (a
/// container's or a batch job's), whichever is less. The largest number when none can be read.
///
/// @param root where /proc and /sys are looked for
std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace railgauge
