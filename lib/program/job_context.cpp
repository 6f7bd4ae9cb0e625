// SPDX-License-Identifier: Apache-2.0
#include "program/job_context.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "measure/team.hpp"
#include "mpi/check.hpp"
#include "mpi/gather_texts.hpp"
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

/// What this rank knows of itself, as JSON; the leader of a node adds the node's facts.
std::string describe_rank(const ClockOffset& clock, bool is_leader) {
    nlohmann::json self{{"numa", allowed_numa_node()},
                        {"cpus", allowed_cpus()},
                        {"clock_offset_ns", clock.offset_ns},
                        {"clock_error_ns", clock.error_ns}};
    if (is_leader) {
        self["facts"] = node_facts_json(
            host_name(), boot_id(),
            {{"mpi_library", mpi_library()}, {"hdf5_version", Recorder::hdf5_version()}});
    }
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
    row.numa = self["numa"];
    row.cpus = self["cpus"];
    row.clock_offset_ns = self["clock_offset_ns"];
    row.clock_error_ns = self["clock_error_ns"];
    return row;
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
    context.git_revision = git_revision;
    context.argv = line.argv;
    context.started_utc = utc_iso();
    context.clock_unix_ns = monotonic_zero_unix_ns();
    return context;
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
