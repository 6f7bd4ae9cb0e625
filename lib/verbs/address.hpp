// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <infiniband/verbs.h>

namespace railgauge {

enum class LinkLayer : std::uint8_t { infiniband = 1, ethernet = 2 };

/// How packets find one end of a connection.
struct PathEnd {
    LinkLayer link_layer = LinkLayer::infiniband;
    std::uint16_t lid = 0;  ///< InfiniBand: within the subnet
    ibv_gid gid{};
    bool needs_global_header = false;  ///< InfiniBand: the subnet's ports want one on every packet
};

/// What this side puts into its packets.
struct PathSource {
    std::uint8_t port = 1;
    std::uint8_t gid_index = 0;
    std::uint8_t traffic_class = 0;
    std::uint8_t service_level = 0;
};

/// The address of `theirs` as a queue pair takes it: over RoCE by GID; over InfiniBand by LID, with
/// a global header only when the ends are in different subnets or ports want one.
ibv_ah_attr make_address(const PathEnd& mine, const PathEnd& theirs, const PathSource& source);

}  // namespace railgauge
