// SPDX-License-Identifier: Apache-2.0
#include "program/job_context.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cuda/gpu.hpp"
#include "measure/team.hpp"
#include "mpi/check.hpp"
#include "mpi/gather_texts.hpp"
#include "nccl/watch.hpp"
#include "program/utc.hpp"
#include "program/version.hpp"
#include "record/recorder.hpp"
#include "system/facts.hpp"

namespace railgauge {
namespace {

constexpr auto replace_bad_utf8 = nlohmann::json::error_handler_t::replace;

std::string mpi_library() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    check_mpi(MPI_Get_library_version(text.data(), &length), "asking for MPI's version");
    return text.c_str();  // some libraries count the terminating NUL
}

/// Of libraries that are in use. What the build lacks is absent.
std::vector<LibraryVersion> libraries() {
    std::vector<LibraryVersion> all{{"mpi_library", mpi_library()},
                                    {"hdf5_version", Recorder::hdf5_version()}};
    const CudaVersions cuda = cuda_versions();
    const NcclVersions nccl = nccl_versions();
    for (const LibraryVersion& entry :
         std::vector<LibraryVersion>{{"cuda_driver", cuda.driver},
                                     {"cuda_runtime", cuda.runtime},
                                     {"cuda_build", cuda.build},
                                     {"nccl_version", nccl.runtime},
                                     {"nccl_build", nccl.build},
                                     {"gpu_name", bound_gpu().name}}) {
        if (!entry.version.empty()) all.push_back(entry);
    }
    return all;
}

/// What this rank knows of itself, as JSON; the leader of a node adds the node's facts.
std::string describe_rank(const ClockOffset& clock, bool is_leader) {
    nlohmann::json self{{"numa", allowed_numa_node()},
                        {"cpus", allowed_cpus()},
                        {"clock_offset_ns", clock.offset_ns},
                        {"clock_error_ns", clock.error_ns}};
    const Gpu& gpu = bound_gpu();
    if (gpu.index >= 0) self["gpu"] = {{"index", gpu.index}, {"uuid", gpu.uuid}, {"pci", gpu.pci}};
    if (is_leader) self["facts"] = node_facts_json(host_name(), boot_id(), libraries());
    return self.dump(-1, ' ', false, replace_bad_utf8);
}

RankRow rank_row(int rank, const Placement& placement, const nlohmann::json& self) {
    const Placement::Rank& place = placement.ranks[static_cast<std::size_t>(rank)];
    RankRow row;
    row.rank = rank;
    row.node = place.node;
    row.local_rank = place.local_rank;
    row.host = placement.nodes[static_cast<std::size_t>(place.node)].host;
    row.nic = place.nic;
    row.rail = place.rail;
    if (self.contains("gpu")) {
        row.gpu_index = self["gpu"]["index"];
        row.gpu_uuid = self["gpu"]["uuid"];
        row.gpu_pci = self["gpu"]["pci"];
    }
    row.numa = self["numa"];
    row.cpus = self["cpus"];
    row.clock_offset_ns = self["clock_offset_ns"];
    row.clock_error_ns = self["clock_error_ns"];
    return row;
}

/// On rank 0; elsewhere there is nothing to look at.
void require_own_gpus(const std::vector<std::string>& uuids, const Placement& placement) {
    std::map<std::pair<int, std::string>, std::size_t> owners;
    for (std::size_t rank = 0; rank < uuids.size(); ++rank) {
        const int node = placement.ranks[rank].node;
        const auto [owner, is_new] = owners.try_emplace({node, uuids[rank]}, rank);
        if (is_new) continue;
        throw Error(ExitCode::usage,
                    fmt::format("ranks {} and {} on {} have the same GPU, {}", owner->second, rank,
                                placement.nodes[static_cast<std::size_t>(node)].host, uuids[rank]),
                    "the launcher shows one GPU to both",
                    "start one rank per GPU, or show every rank all GPUs of the node");
    }
}

std::uint64_t command_hash(const CommandLine& line) {
    std::string text = fmt::format("{} {}", version, git_revision);
    for (std::size_t i = 1; i < line.argv.size(); ++i)
        text += '\0' + line.argv[i];
    return std::hash<std::string>{}(text);
}

}  // namespace

RunContext gather_run_context(MPI_Comm comm, const Placement& placement, const ClockOffset& clock,
                              const CommandLine& line, const std::string& program) {
    int rank = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), "asking for a rank");
    const bool is_leader = placement.ranks[static_cast<std::size_t>(rank)].local_rank == 0;
    const auto texts = gather_texts(comm, describe_rank(clock, is_leader));
    RunContext context;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto self = nlohmann::json::parse(texts[i]);
        context.ranks.push_back(rank_row(static_cast<int>(i), placement, self));
        if (!self.contains("facts")) continue;
        const RankRow& row = context.ranks.back();
        context.nodes.push_back({row.node, row.host, self["facts"]});
    }
    context.program = program;
    context.version = version;
    // Whatever ran on the double is marked so in every output.
    if (bound_gpu().index >= 0 && is_gpu_double()) context.origin = "double";
    context.git_revision = git_revision;
    context.argv = line.argv;
    context.started_utc = utc_iso();
    context.clock_unix_ns = monotonic_zero_unix_ns();
    return context;
}

void bind_gpus(MPI_Comm comm, Team& team, const Placement& placement) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const Placement::Rank& place = placement.ranks.at(rank);
    const Placement::Node& node = placement.nodes.at(static_cast<std::size_t>(place.node));
    agreed(team, [&] { bind_gpu(place.local_rank, node.ranks); });
    const auto uuids = gather_texts(comm, bound_gpu().uuid);
    agreed(team, [&] { require_own_gpus(uuids, placement); });
}

void agree_on_command(MPI_Comm comm, Team& team, const CommandLine& line) {
    const std::uint64_t mine = command_hash(line);
    std::uint64_t expected = mine;
    check_mpi(MPI_Bcast(&expected, 1, MPI_UINT64_T, 0, comm), "comparing command lines");
    agreed(team, [&] {
        if (mine == expected) return;
        throw Error(ExitCode::usage, "arguments or version differ from rank 0's",
                    "the ranks would measure different things",
                    "start the same program with the same arguments on all ranks");
    });
}

}  // namespace railgauge
