// SPDX-License-Identifier: Apache-2.0
#include "mpi/placement.hpp"

#include <algorithm>
#include <array>
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

struct Identity {
    std::array<char, host_bytes> host{};
    std::array<char, boot_id_bytes> boot_id{};
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
            placement.nodes.push_back(
                {unique_name(hosts[rank], names), boot_ids[rank], static_cast<int>(rank), 0});
        }
        Placement::Node& node = placement.nodes[static_cast<std::size_t>(entry->second)];
        placement.ranks.push_back({entry->second, node.ranks++});
    }
    return placement;
}

Placement exchange_placement(MPI_Comm comm) {
    int size = 0;
    check_mpi(MPI_Comm_size(comm, &size), "asking for a size");
    Identity mine;
    store(host_name(), mine.host);
    store(boot_id(), mine.boot_id);
    std::vector<Identity> all(static_cast<std::size_t>(size));
    check_mpi(MPI_Allgather(&mine, sizeof(Identity), MPI_BYTE, all.data(), sizeof(Identity),
                            MPI_BYTE, comm),
              "exchanging host names");
    std::vector<std::string> hosts;
    std::vector<std::string> boot_ids;
    for (const Identity& identity : all) {
        hosts.emplace_back(identity.host.data());
        boot_ids.emplace_back(identity.boot_id.data());
    }
    return make_placement(hosts, boot_ids);
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
