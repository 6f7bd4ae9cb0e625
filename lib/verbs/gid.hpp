// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <infiniband/verbs.h>

namespace railgauge {

/// Kinds of RoCE addresses; best = IPv4, else IPv6, else link-local.
enum class GidKind { best, ipv4, ipv6, link_local };

/// @throws Error(usage) for anything but "auto", "ipv4", "ipv6", "link-local"
GidKind gid_kind_named(std::string_view name);

/// Of a GID that is not zero.
GidKind kind_of(const ibv_gid& gid);
std::string_view name_of(GidKind kind);

/// "10.77.0.1", "fe80::1": as people write it.
std::string format_gid(const ibv_gid& gid);

struct GidWish {
    GidKind kind = GidKind::best;
    std::optional<unsigned> index;  ///< instead of kind
    unsigned interface_index = 0;   ///< if any GID is of that network interface, one of those
};

/// The entry of a RoCE port's table that fits: RoCE v2, of the wanted kind, the first by index.
/// None when there is none.
std::optional<ibv_gid_entry> choose_gid(std::span<const ibv_gid_entry> entries,
                                        const GidWish& wish);

/// What the table has, for errors: "0 RoCE v2 fe80::1, 1 RoCE v1 10.0.0.1".
std::string describe_gids(std::span<const ibv_gid_entry> entries);

/// The entry for `port` of a device, waiting up to 2 s for it: the kernel makes GIDs some time
/// after their addresses. A link-local one that was not asked for is only taken then.
/// @throws Error(usage) saying what there is
ibv_gid_entry wait_for_gid(ibv_context& device, unsigned port, const GidWish& wish,
                           std::string_view port_name);

}  // namespace railgauge
