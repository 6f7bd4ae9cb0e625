// SPDX-License-Identifier: Apache-2.0
#include "mpi/placement.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "mpi/check.hpp"

namespace railgauge {
namespace {

constexpr std::size_t host_bytes = 256;
constexpr std::size_t boot_id_bytes = 64;
constexpr std::size_t nic_bytes = 64;

struct Identity {
    std::array<char, host_bytes> host{};
    std::array<char, boot_id_bytes> boot_id{};
    std::array<char, nic_bytes> nic{};
    int rail = -1;
    bool rail_is_dead = false;
};

template <std::size_t N>
void store(const std::string& text, std::array<char, N>& field) {
    std::memcpy(field.data(), text.data(), std::min(text.size(), N - 1));
}

/// "gpu01", then "gpu01#2" for another machine of that name.
std::string unique_name(const std::string& host, std::set<std::string>& taken) {
    std::string name = host;
    for (int copy = 2; !taken.insert(name).second; ++copy)
        name = fmt::format("{}#{}", host, copy);
    return name;
}

std::string environment_text(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string() : text;
}

/// The rail that rank-env gave this rank; -1 = none.
int environment_rail() {
    const std::string text = environment_text("RAILGAUGE_RAIL");
    char* end = nullptr;
    const long rail = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end != '\0' || rail < 0 || rail > 1'000'000 ? -1
                                                                        : static_cast<int>(rail);
}

Identity own_identity() {
    Identity identity;
    store(host_name(), identity.host);
    store(boot_id(), identity.boot_id);
    store(environment_text("RAILGAUGE_NIC"), identity.nic);
    identity.rail = environment_rail();
    identity.rail_is_dead = environment_text("RAILGAUGE_RAIL_IS_DEAD") == "1";
    return identity;
}

}  // namespace

std::string host_name() {
    std::array<char, host_bytes> name{};
    if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
    return name.data();
}

std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    file >> id;
    return id.empty() ? "unknown" : id;
}

Placement make_placement(const std::vector<std::string>& hosts,
                         const std::vector<std::string>& boot_ids) {
    Placement placement;
    std::map<std::pair<std::string, std::string>, int> nodes;
    std::set<std::string> names;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        const auto next = static_cast<int>(placement.nodes.size());
        const auto [entry, is_new] = nodes.emplace(std::pair(hosts[rank], boot_ids[rank]), next);
        if (is_new) {
            placement.nodes.push_back({unique_name(hosts[rank], names), boot_ids[rank], 0});
        }
        Placement::Node& node = placement.nodes[static_cast<std::size_t>(entry->second)];
        placement.ranks.push_back({entry->second, node.ranks++, -1, {}, false});
    }
    return placement;
}

Placement exchange_placement(MPI_Comm comm) {
    int size = 0;
    check_mpi(MPI_Comm_size(comm, &size), "asking for a size");
    const Identity mine = own_identity();
    std::vector<Identity> all(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&mine, sizeof(Identity), MPI_BYTE, all.data(), sizeof(Identity),
                            MPI_BYTE, comm),
              "exchanging host names and rails");
    std::vector<std::string> hosts;
    std::vector<std::string> boot_ids;
    for (const Identity& identity : all) {
        hosts.emplace_back(identity.host.data());
        boot_ids.emplace_back(identity.boot_id.data());
    }
    Placement placement = make_placement(hosts, boot_ids);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        placement.ranks[rank].rail = all[rank].rail;
        placement.ranks[rank].nic = all[rank].nic.data();
        placement.ranks[rank].rail_is_dead = all[rank].rail_is_dead;
    }
    return placement;
}

void check_expected_placement(const Placement& placement, int expected_nodes,
                              int expected_ranks_per_node) {
    const auto nodes = static_cast<int>(placement.nodes.size());
    if (expected_nodes > 0 && nodes != expected_nodes) {
        throw Error(ExitCode::usage,
                    fmt::format("the job runs on {} node(s), {} expected", nodes, expected_nodes),
                    "results of another scale must not pass for this one",
                    "check the launcher's host list and slots");
    }
    for (const Placement::Node& node : placement.nodes) {
        if (expected_ranks_per_node > 0 && node.ranks != expected_ranks_per_node) {
            throw Error(ExitCode::usage,
                        fmt::format("node {} runs {} rank(s), {} expected", node.host, node.ranks,
                                    expected_ranks_per_node),
                        "results of another scale must not pass for this one",
                        "check the launcher's host list and slots");
        }
    }
}

}  // namespace railgauge
