// SPDX-License-Identifier: Apache-2.0
// MPI's point-to-point messages. A queue is a tag: MPI keeps the order of messages of one tag.
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "measure/clock.hpp"
#include "mpi/check.hpp"
#include "mpi/communicator.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

// MPI-3 counts are int; the standard promises tags up to 32767.
constexpr Capabilities mpi_capabilities{false, std::numeric_limits<int>::max(), 32'767, 1};

/// Requests are kept dense in preallocated arrays, so that MPI_Testsome looks at no idle one.
class MpiChannel : public Channel {
  public:
    MpiChannel(MPI_Comm comm, int peer, RegisteredMemory& memory,
               const ChannelParameters& parameters)
        : comm_(comm),
          peer_(peer),
          memory_(memory.data()),
          requests_(static_cast<std::size_t>(parameters.queues) *
                    (static_cast<std::size_t>(parameters.send_depth) +
                     static_cast<std::size_t>(parameters.receive_depth))),
          ids_(requests_.size()),
          indices_(requests_.size()),
          completions_(requests_.size()) {}

    ~MpiChannel() override {
        if (active_ > 0)
            log_here("a channel to rank {} was left with {} messages in flight", peer_, active_);
    }

    void post(const Message& message) override {
        if (active_ == requests_.size()) throw std::logic_error("a channel's depth is exceeded");
        start(message, requests_[active_]);
        ids_[active_++] = message.id;
    }

    std::span<const Completion> poll() override {
        if (active_ == 0) return {};
        int finished = 0;
        const int result = MPI_Testsome(static_cast<int>(active_), requests_.data(), &finished,
                                        indices_.data(), MPI_STATUSES_IGNORE);
        if (result != MPI_SUCCESS) [[unlikely]]
            fail(result, "waiting for a message");
        if (finished == 0) return {};
        const std::int64_t now_ns = monotonic_now_ns();
        for (std::size_t i = 0; i < static_cast<std::size_t>(finished); ++i)
            completions_[i] = {ids_[static_cast<std::size_t>(indices_[i])], now_ns};
        drop_finished();
        return {completions_.data(), static_cast<std::size_t>(finished)};
    }

    void close() override {
        if (active_ > 0) throw std::logic_error("a channel is closed with messages in flight");
    }

  private:
    void start(const Message& message, MPI_Request& request) {
        std::byte* const data = memory_ + message.offset;
        const auto count = static_cast<int>(message.bytes);
        int result = MPI_SUCCESS;
        switch (message.verb) {
            case Verb::send:
                result = (message.acknowledged ? &MPI_Issend : &MPI_Isend)(
                    data, count, MPI_BYTE, peer_, message.queue, comm_, &request);
                break;
            case Verb::receive:
                result = MPI_Irecv(data, count, MPI_BYTE, peer_, message.queue, comm_, &request);
                break;
            case Verb::write:
            case Verb::read: throw std::logic_error("MPI messages are not one-sided");
        }
        if (result != MPI_SUCCESS) [[unlikely]]
            fail(result, "starting a message");
    }

    /// MPI_Testsome has set finished requests to null; the others move down.
    void drop_finished() noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < active_; ++i) {
            if (requests_[i] == MPI_REQUEST_NULL) continue;
            requests_[kept] = requests_[i];
            ids_[kept++] = ids_[i];
        }
        active_ = kept;
    }

    [[noreturn]] void fail(int result, const char* doing) const {
        throw_mpi_error(result, fmt::format("{} of the channel to rank {}", doing, peer_).c_str());
    }

    MPI_Comm comm_;
    int peer_;
    std::byte* memory_;
    std::size_t active_ = 0;
    std::vector<MPI_Request> requests_;
    std::vector<std::uint64_t> ids_;
    std::vector<int> indices_;
    std::vector<Completion> completions_;
};

class MpiTransport : public Transport {
  public:
    explicit MpiTransport(MPI_Comm comm) : comm_(Communicator::duplicate(comm)) {}

    std::string_view name() const override { return "mpi"; }
    Capabilities capabilities() const override { return mpi_capabilities; }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        return std::make_unique<RegisteredMemory>(space.allocate(size));
    }

    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        require_capable(name(), capabilities(), parameters);
        // The library opens a connection with the first message, which would cost the first sample.
        check_mpi(MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 0, nullptr, 0, MPI_BYTE, peer, 0,
                               comm_.get(), MPI_STATUS_IGNORE),
                  "connecting two ranks");
        return std::make_unique<MpiChannel>(comm_.get(), peer, memory, parameters);
    }

    void close() override { comm_.close(); }

  private:
    Communicator comm_;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm) {
    return std::make_unique<MpiTransport>(comm);
}

}  // namespace railgauge
