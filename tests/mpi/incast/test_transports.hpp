// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "measure/clock.hpp"
#include "transport/transport.hpp"

namespace railgauge::testing {

/// MPI's channel with something between it and the workload.
class WrappedChannel : public Channel {
  public:
    explicit WrappedChannel(std::unique_ptr<Channel> honest) : honest_(std::move(honest)) {}
    void post(const Message& message) override { honest_->post(message); }
    std::span<const Completion> poll() override { return honest_->poll(); }
    void close() override { honest_->close(); }

  protected:
    std::unique_ptr<Channel> honest_;
};

class WrappedTransport : public Transport {
  public:
    std::string_view name() const override { return "wrapped"; }
    Capabilities capabilities() const override { return honest_->capabilities(); }
    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        return honest_->allocate(space, size);
    }
    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        return honest_->connect(peer, memory, parameters);
    }
    void close() override { honest_->close(); }

  protected:
    std::unique_ptr<Transport> honest_ = make_mpi_transport(MPI_COMM_WORLD);
};

/// Flips a bit in every payload that was received.
class FlippingTransport : public WrappedTransport {
  public:
    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        return std::make_unique<Flipping>(honest_->connect(peer, memory, parameters), memory);
    }

  private:
    class Flipping : public WrappedChannel {
      public:
        Flipping(std::unique_ptr<Channel> honest, RegisteredMemory& memory)
            : WrappedChannel(std::move(honest)), memory_(memory) {}

        void post(const Message& message) override {
            if (message.verb == Verb::receive && message.bytes > 0)
                offset_of_[message.id] = message.offset;
            honest_->post(message);
        }

        std::span<const Completion> poll() override {
            const auto done = honest_->poll();
            for (const Completion& completion : done)
                if (const auto found = offset_of_.find(completion.id); found != offset_of_.end())
                    memory_.data()[found->second] ^= std::byte{1};
            return done;
        }

      private:
        RegisteredMemory& memory_;
        std::map<std::uint64_t, std::size_t> offset_of_;
    };
};

/// Payload comes from somewhere else and goes there: the workload's memory is never touched.
class StrayingTransport : public WrappedTransport {
  public:
    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        const auto space = make_host_memory();
        elsewhere_.push_back(honest_->allocate(*space, memory.size()));
        return honest_->connect(peer, *elsewhere_.back(), parameters);
    }

  private:
    std::vector<std::unique_ptr<RegisteredMemory>> elsewhere_;
};

/// The channel of one rank to one peer breaks after so many messages, or at the first empty one.
/// What is left in flight does not matter, as with RDMA.
class BreakingTransport : public WrappedTransport {
  public:
    static constexpr int at_empties = -1;

    BreakingTransport(int rank, int peer, int after) : rank_(rank), peer_(peer), after_(after) {}

    Capabilities capabilities() const override {
        Capabilities capabilities = honest_->capabilities();
        capabilities.receives_ahead = true;
        return capabilities;
    }

    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        int self = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &self);
        auto honest = honest_->connect(peer, memory, parameters);
        if (self != rank_ || peer != peer_ || broke_) return honest;
        broke_ = true;
        return std::make_unique<Breaking>(std::move(honest), peer, after_);
    }

  private:
    class Breaking : public WrappedChannel {
      public:
        Breaking(std::unique_ptr<Channel> honest, int peer, int after)
            : WrappedChannel(std::move(honest)), peer_(peer), left_(after) {}

        void post(const Message& message) override {
            const bool holds = left_ == at_empties ? message.bytes > 0 : left_ > 0;
            if (left_ > 0) --left_;
            if (holds) return honest_->post(message);
            throw Error(ExitCode::library,
                        "the channel to rank " + std::to_string(peer_) + " broke",
                        "a test broke it", "do not");
        }

      private:
        int peer_;
        int left_;
    };

    int rank_;
    int peer_;
    int after_;
    bool broke_ = false;
};

/// One-sided writes between ranks of this machine, into memory that they share. Empty messages are
/// MPI's.
class SharedMemoryTransport : public WrappedTransport {
  public:
    ~SharedMemoryTransport() override = default;

    Capabilities capabilities() const override {
        Capabilities capabilities = honest_->capabilities();
        capabilities.one_sided = true;
        return capabilities;
    }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& /*space*/, std::size_t size) override {
        void* data = nullptr;
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(size) + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                &data, &window_);
        return std::make_unique<RegisteredMemory>(Buffer(data, size, [](void*) {}));
    }

    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        MPI_Aint size = 0;
        int unit = 0;
        void* theirs = nullptr;
        MPI_Win_shared_query(window_, peer, &size, &unit, &theirs);
        return std::make_unique<Writing>(honest_->connect(peer, memory, parameters), memory.data(),
                                         static_cast<std::byte*>(theirs));
    }

    void close() override {
        MPI_Win_free(&window_);
        honest_->close();
    }

  private:
    class Writing : public WrappedChannel {
      public:
        Writing(std::unique_ptr<Channel> honest, const std::byte* mine, std::byte* theirs)
            : WrappedChannel(std::move(honest)), mine_(mine), theirs_(theirs) {}

        void post(const Message& message) override {
            if (message.verb != Verb::write) return honest_->post(message);
            std::memcpy(theirs_ + message.remote_offset, mine_ + message.offset, message.bytes);
            written_.push_back({message.id, 0});
        }

        std::span<const Completion> poll() override {
            if (written_.empty()) return honest_->poll();
            done_.assign(written_.begin(), written_.end());
            for (Completion& completion : done_)
                completion.time_ns = monotonic_now_ns();
            written_.clear();
            return done_;
        }

      private:
        const std::byte* mine_;
        std::byte* theirs_;
        std::deque<Completion> written_;
        std::vector<Completion> done_;
    };

    MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace railgauge::testing
