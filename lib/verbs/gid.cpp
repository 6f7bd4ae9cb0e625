// SPDX-License-Identifier: Apache-2.0
#include "verbs/gid.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "verbs/check.hpp"

namespace railgauge {
namespace {

struct KindRow {
    std::string_view name;
    GidKind kind;
};

constexpr std::array<KindRow, 4> kinds{{{"auto", GidKind::best},
                                        {"ipv4", GidKind::ipv4},
                                        {"ipv6", GidKind::ipv6},
                                        {"link-local", GidKind::link_local}}};

constexpr std::array<std::uint8_t, 12> mapped_ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_zero(const ibv_gid& gid) {
    return std::all_of(std::begin(gid.raw), std::end(gid.raw), [](auto byte) { return byte == 0; });
}

/// A queue pair takes indices of 8 bits.
bool is_usable(const ibv_gid_entry& entry) {
    return entry.gid_type == IBV_GID_TYPE_ROCE_V2 && !is_zero(entry.gid) && entry.gid_index <= 0xff;
}

/// The first usable entry of the kind.
std::optional<ibv_gid_entry> find_kind(std::span<const ibv_gid_entry> entries, GidKind kind,
                                       unsigned interface_index) {
    std::optional<ibv_gid_entry> found;
    for (const ibv_gid_entry& entry : entries) {
        const bool fits = is_usable(entry) && kind_of(entry.gid) == kind &&
                          (interface_index == 0 || entry.ndev_ifindex == interface_index);
        if (fits && (!found || entry.gid_index < found->gid_index)) found = entry;
    }
    return found;
}

std::optional<ibv_gid_entry> find_index(std::span<const ibv_gid_entry> entries, unsigned index) {
    for (const ibv_gid_entry& entry : entries) {
        if (entry.gid_index == index && is_usable(entry)) return entry;
    }
    return std::nullopt;
}

const char* type_name(std::uint32_t type) {
    switch (type) {
        case IBV_GID_TYPE_ROCE_V1: return "RoCE v1";
        case IBV_GID_TYPE_ROCE_V2: return "RoCE v2";
        default: return "InfiniBand";
    }
}

std::vector<ibv_gid_entry> read_gids(ibv_context& device, unsigned port,
                                     std::string_view port_name) {
    constexpr std::size_t most_entries = 2000;  // the kernel takes less than 64 KiB of them
    std::vector<ibv_gid_entry> entries(most_entries);
    const ssize_t count = ibv_query_gid_table(&device, entries.data(), entries.size(), 0);
    if (count < 0)
        throw_verbs_error(static_cast<int>(-count),
                          fmt::format("reading the GIDs of {}", port_name), "see the kernel's log");
    entries.resize(static_cast<std::size_t>(count));
    std::erase_if(entries, [&](const auto& entry) { return entry.port_num != port; });
    return entries;
}

[[noreturn]] void refuse(std::span<const ibv_gid_entry> entries, const GidWish& wish,
                         std::string_view port_name) {
    const std::string wanted = wish.index ? fmt::format("RoCE v2 GID at index {}", *wish.index)
                               : wish.kind == GidKind::best
                                   ? std::string("RoCE v2 GID")
                                   : fmt::format("RoCE v2 GID of kind {}", name_of(wish.kind));
    throw Error(
        ExitCode::usage, fmt::format("{} has no {}", port_name, wanted),
        entries.empty() ? "it has no GID at all" : fmt::format("it has {}", describe_gids(entries)),
        "give its network interface such an address, or choose another with --gid-kind or "
        "--gid-index");
}

}  // namespace

GidKind gid_kind_named(std::string_view name) {
    return row_named(kinds, name, "GID kind").kind;
}

std::string_view name_of(GidKind kind) {
    const auto is_it = [&](const KindRow& row) { return row.kind == kind; };
    return std::find_if(kinds.begin(), kinds.end(), is_it)->name;
}

GidKind kind_of(const ibv_gid& gid) {
    if (std::memcmp(gid.raw, mapped_ipv4.data(), mapped_ipv4.size()) == 0) return GidKind::ipv4;
    const bool is_link_local = gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;
    return is_link_local ? GidKind::link_local : GidKind::ipv6;
}

std::string format_gid(const ibv_gid& gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (kind_of(gid) == GidKind::ipv4) {
        inet_ntop(AF_INET, gid.raw + mapped_ipv4.size(), text.data(), text.size());
    } else {
        inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
    }
    return text.data();
}

std::string describe_gids(std::span<const ibv_gid_entry> entries) {
    constexpr std::size_t most_shown = 16;
    std::vector<std::string> texts;
    for (const ibv_gid_entry& entry : entries.first(std::min(entries.size(), most_shown)))
        texts.push_back(fmt::format("{} {} {}", entry.gid_index, type_name(entry.gid_type),
                                    format_gid(entry.gid)));
    if (entries.size() > most_shown)
        texts.push_back(fmt::format("and {} more", entries.size() - most_shown));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::optional<ibv_gid_entry> choose_gid(std::span<const ibv_gid_entry> entries,
                                        const GidWish& wish) {
    if (wish.index) return find_index(entries, *wish.index);
    // The GIDs of a bonded interface are its bond's.
    const bool has_interface = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.ndev_ifindex == wish.interface_index;
    });
    const unsigned interface = has_interface ? wish.interface_index : 0;
    if (wish.kind != GidKind::best) return find_kind(entries, wish.kind, interface);
    for (const GidKind kind : {GidKind::ipv4, GidKind::ipv6, GidKind::link_local}) {
        if (const auto found = find_kind(entries, kind, interface)) return found;
    }
    return std::nullopt;
}

ibv_gid_entry wait_for_gid(ibv_context& device, unsigned port, const GidWish& wish,
                           std::string_view port_name) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds patience{2};
    constexpr std::chrono::milliseconds pause{20};
    const auto deadline = Clock::now() + patience;
    while (true) {
        const std::vector<ibv_gid_entry> entries = read_gids(device, port, port_name);
        const std::optional<ibv_gid_entry> found = choose_gid(entries, wish);
        const bool may_improve = wish.kind == GidKind::best && !wish.index && found &&
                                 kind_of(found->gid) == GidKind::link_local;
        const bool is_late = Clock::now() >= deadline;
        if (found && (!may_improve || is_late)) return *found;
        if (is_late) refuse(entries, wish, port_name);
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace railgauge
