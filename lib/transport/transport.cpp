// SPDX-License-Identifier: Apache-2.0
#include "transport/transport.hpp"

#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "mpi/gpu_memory.hpp"

namespace railgauge {
namespace {

struct TransportRow {
    std::string_view name;
    std::unique_ptr<Transport> (*make)(MPI_Comm comm);
    bool needs_gpu;
    void (*require)(std::string_view memory);
};

/// Every transport. A new one is a file and a row.
constexpr std::array<TransportRow, 2> table{
    {{"mpi", &make_mpi_transport, false, &require_mpi_reaches},
     {"nccl", &make_nccl_transport, true, &require_nccl_transport}}};

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
    return names_of(table);
}

bool transport_needs_gpu(std::string_view name) {
    return row_named(table, name, "transport").needs_gpu;
}

void require_transport(std::string_view name, std::string_view memory) {
    row_named(table, name, "transport").require(memory);
}

std::unique_ptr<Transport> make_transport(std::string_view name, MPI_Comm comm) {
    return row_named(table, name, "transport").make(comm);
}

}  // namespace railgauge
