// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace railgauge::site {

/// Far above any cluster, so that a slip of the pen or a hostile file costs no memory or time.
inline constexpr std::size_t most_file_bytes = 1 << 20;
inline constexpr std::size_t most_hosts = 100'000;
inline constexpr std::size_t most_leaf_memberships = 1'000'000;
inline constexpr std::size_t most_planes = 64;
inline constexpr std::size_t most_rails = 64;
inline constexpr std::size_t most_groups = 1000;
inline constexpr std::size_t most_leaves = 10'000;
inline constexpr std::size_t most_ports = 64;  ///< of one node
inline constexpr int most_gpus = 1024;         ///< of one node
inline constexpr double most_gbit_per_s = 100'000;
inline constexpr int least_mtu_bytes = 256;    ///< InfiniBand's smallest
inline constexpr int most_mtu_bytes = 65'536;  ///< a Linux loopback's

}  // namespace railgauge::site
