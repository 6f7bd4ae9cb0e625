// SPDX-License-Identifier: Apache-2.0
#include "transport/transport.hpp"

#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/names.hpp"
#include "mpi/gpu_memory.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

struct TransportRow {
    std::string_view name;
    std::unique_ptr<Transport> (*make)(MPI_Comm comm, const FabricOptions& options);
    TransportTraits traits;
    void (*require)(std::string_view memory);
};

template <std::unique_ptr<Transport> (*Make)(MPI_Comm)>
std::unique_ptr<Transport> without_options(MPI_Comm comm, const FabricOptions& /*options*/) {
    return Make(comm);
}

template <std::unique_ptr<Fabric> (*Make)(const FabricOptions&)>
std::unique_ptr<Transport> on_fabric(MPI_Comm comm, const FabricOptions& options) {
    return make_fabric_transport(Make(options), comm);
}

/// Every transport. A new one is a file and a row.
constexpr std::array<TransportRow, 4> table{
    {{"mpi", &without_options<&make_mpi_transport>, {false, false, false}, &require_mpi_reaches},
     {"verbs", &on_fabric<&make_verbs_fabric>, {false, true, true}, &require_verbs_transport},
     {"ucx", &on_fabric<&make_ucx_fabric>, {false, true, false}, &require_ucx_transport},
     {"nccl",
      &without_options<&make_nccl_transport>,
      {true, false, false},
      &require_nccl_transport}}};

void require_range(std::string_view name, const char* what, int value, int most) {
    if (value >= 1 && value <= most) return;
    throw Error(ExitCode::usage, fmt::format("{} {} cannot be had", value, what),
                fmt::format("transport {} has 1 to {}", name, most), "choose one of these");
}

}  // namespace

Transport::~Transport() = default;

std::unique_ptr<Channel> Transport::connect_outside(std::unique_ptr<Peer> /*peer*/,
                                                    RegisteredMemory& /*memory*/,
                                                    const ChannelParameters& /*parameters*/) {
    throw Error(ExitCode::usage, "a receiver outside the job cannot be reached",
                fmt::format("transport {} knows only the ranks of its job", name()),
                "use --backend verbs or ucx");
}

void require_capable(std::string_view name, const Capabilities& capabilities,
                     const ChannelParameters& parameters) {
    require_range(name, "queues to a peer", parameters.queues, capabilities.most_queues);
}

std::vector<std::string> transport_names() {
    return names_of(table);
}

TransportTraits transport_traits(std::string_view name) {
    return row_named(table, name, "transport").traits;
}

void require_transport(std::string_view name, std::string_view memory) {
    row_named(table, name, "transport").require(memory);
}

std::unique_ptr<Transport> make_transport(std::string_view name, MPI_Comm comm,
                                          const FabricOptions& options) {
    return row_named(table, name, "transport").make(comm, options);
}

}  // namespace railgauge
