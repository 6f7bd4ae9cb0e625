// SPDX-License-Identifier: Apache-2.0
#include "transport/transport.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "mpi/gpu_memory.hpp"

namespace railgauge {
namespace {

struct TransportRow {
    std::string_view name;
    std::unique_ptr<Transport> (*make)(MPI_Comm comm);
    bool needs_gpu;
};

/// Every transport. A new one is a file and a row.
constexpr std::array<TransportRow, 2> table{
    {{"mpi", &make_mpi_transport, false}, {"nccl", &make_nccl_transport, true}}};

const TransportRow& row_named(std::string_view name) {
    const auto* const found = std::find_if(
        table.begin(), table.end(), [&](const TransportRow& row) { return row.name == name; });
    if (found != table.end()) return *found;
    throw Error(ExitCode::usage, fmt::format("transport '{}' is unknown", name),
                fmt::format("there are {}", fmt::join(transport_names(), ", ")),
                "use one of these");
}

void require_range(std::string_view name, const char* what, int value, int most) {
    if (value >= 1 && value <= most) return;
    throw Error(ExitCode::usage, fmt::format("{} {} cannot be had", value, what),
                fmt::format("transport {} has 1 to {}", name, most), "choose one of these");
}

}  // namespace

void require_capable(std::string_view name, const Capabilities& capabilities,
                     const ChannelParameters& parameters) {
    require_range(name, "queues to a peer", parameters.queues, capabilities.most_queues);
    require_range(name, "messages per completion", parameters.signal_interval,
                  capabilities.most_signal_interval);
}

std::vector<std::string> transport_names() {
    std::vector<std::string> names;
    names.reserve(table.size());
    for (const TransportRow& row : table)
        names.emplace_back(row.name);
    return names;
}

bool transport_needs_gpu(std::string_view name) {
    return row_named(name).needs_gpu;
}

void require_transport(std::string_view name, std::string_view memory) {
    if (row_named(name).needs_gpu) {
        require_nccl_transport();
        if (memory != "host") return;
        throw Error(ExitCode::usage, fmt::format("transport {} cannot use memory 'host'", name),
                    "it moves what a GPU can reach", "use --memory cuda or pinned");
    }
    if (memory != "cuda" || mpi_reaches_gpu_memory()) return;
    throw Error(ExitCode::usage, "this MPI cannot use memory 'cuda'", "it is not CUDA-aware",
                "use --memory host or pinned, or an MPI built with CUDA");
}

std::unique_ptr<Transport> make_transport(std::string_view name, MPI_Comm comm) {
    return row_named(name).make(comm);
}

}  // namespace railgauge
