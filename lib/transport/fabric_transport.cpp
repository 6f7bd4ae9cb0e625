// SPDX-License-Identifier: Apache-2.0
// The ranks of an MPI job on a fabric: descriptions are swapped by MPI.
#include <fmt/format.h>

#include "mpi/check.hpp"
#include "mpi/communicator.hpp"
#include "mpi/placement.hpp"
#include "transport/fabric.hpp"

namespace railgauge {
namespace {

constexpr int swap_tag = 1;

class MpiPeer : public Peer {
  public:
    MpiPeer(MPI_Comm comm, int rank, std::string host)
        : comm_(comm), rank_(rank), host_(std::move(host)) {}

    std::string name() const override { return fmt::format("rank {} on {}", rank_, host_); }

    std::vector<std::byte> swap(std::span<const std::byte> mine) override {
        const auto own_count = static_cast<int>(mine.size());
        int count = 0;
        exchange(&own_count, sizeof own_count, &count, sizeof count);
        std::vector<std::byte> theirs(static_cast<std::size_t>(count));
        exchange(mine.data(), mine.size(), theirs.data(), theirs.size());
        return theirs;
    }

  private:
    void exchange(const void* mine, std::size_t bytes, void* theirs,
                  std::size_t their_bytes) const {
        check_mpi(MPI_Sendrecv(mine, static_cast<int>(bytes), MPI_BYTE, rank_, swap_tag, theirs,
                               static_cast<int>(their_bytes), MPI_BYTE, rank_, swap_tag, comm_,
                               MPI_STATUS_IGNORE),
                  "connecting two ranks");
    }

    MPI_Comm comm_;
    int rank_;
    std::string host_;
};

class FabricTransport : public Transport {
  public:
    FabricTransport(std::unique_ptr<Fabric> fabric, MPI_Comm comm)
        : fabric_(std::move(fabric)),
          comm_(Communicator::duplicate(comm)),
          placement_(exchange_placement(comm)) {}

    std::string_view name() const override { return fabric_->name(); }
    Capabilities capabilities() const override { return fabric_->capabilities(); }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        return fabric_->allocate(space, size);
    }

    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        require_capable(name(), capabilities(), parameters);
        return fabric_->connect(std::make_unique<MpiPeer>(comm_.get(), peer, host_of(peer)), memory,
                                parameters);
    }

    std::unique_ptr<Channel> connect_outside(std::unique_ptr<Peer> peer, RegisteredMemory& memory,
                                             const ChannelParameters& parameters) override {
        require_capable(name(), capabilities(), parameters);
        return fabric_->connect(std::move(peer), memory, parameters);
    }

    void close() override { comm_.close(); }

  private:
    const std::string& host_of(int rank) const {
        const int node = placement_.ranks.at(static_cast<std::size_t>(rank)).node;
        return placement_.nodes.at(static_cast<std::size_t>(node)).host;
    }

    std::unique_ptr<Fabric> fabric_;
    Communicator comm_;
    Placement placement_;
};

}  // namespace

std::unique_ptr<Transport> make_fabric_transport(std::unique_ptr<Fabric> fabric, MPI_Comm comm) {
    return std::make_unique<FabricTransport>(std::move(fabric), comm);
}

}  // namespace railgauge
