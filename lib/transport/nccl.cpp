// SPDX-License-Identifier: Apache-2.0
// NCCL's point-to-point operations. Each runs on a stream in the order in which it was posted, so
// there is a communicator and a stream for either direction: on one, two ranks that both receive
// before they send would wait for each other for ever.
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "cuda/handles.hpp"
#include "measure/clock.hpp"
#include "memory/cuda.hpp"
#include "mpi/communicator.hpp"
#include "mpi/cpu_share.hpp"
#include "nccl/check.hpp"
#include "nccl/communicator.hpp"
#include "transport/transport.hpp"

namespace railgauge {
namespace {

constexpr Capabilities nccl_capabilities{
    false, static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()), 1, 1};

/// An empty message is one byte: NCCL does nothing at all for none.
constexpr std::size_t token_bytes = 64;

/// Operations of one direction, in the order in which they finish.
class Lane {
  public:
    Lane(ncclComm_t comm, cudaStream_t stream, int depth) : comm_(comm), stream_(stream) {
        for (int i = 0; i < depth; ++i)
            slots_.push_back({make_event(), 0});
    }

    /// Issues `issue(comm, stream)` and notes when it is done.
    template <class Issue>
    void post(std::uint64_t id, const char* doing, Issue issue) {
        if (count_ == slots_.size()) throw std::logic_error("a channel's depth is exceeded");
        Slot& slot = slots_[(first_ + count_) % slots_.size()];
        slot.id = id;
        check_nccl(issue(comm_, stream_), doing, comm_);
        check_cuda(cudaEventRecord(slot.done.get(), stream_), "recording a CUDA event");
        ++count_;
    }

    /// Appends what has finished.
    void poll(std::vector<Completion>& finished) {
        while (count_ > 0) {
            Slot& slot = slots_[first_];
            const cudaError_t state = cudaEventQuery(slot.done.get());
            if (state == cudaErrorNotReady) return;
            check_cuda(state, "a message");
            finished.push_back({slot.id, monotonic_now_ns()});
            first_ = (first_ + 1) % slots_.size();
            --count_;
        }
    }

    std::size_t in_flight() const { return count_; }

  private:
    struct Slot {
        CudaEvent done;
        std::uint64_t id;
    };
    ncclComm_t comm_;
    cudaStream_t stream_;
    std::vector<Slot> slots_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

/// A direction of traffic: up, to the rank of the higher number, or down.
struct Direction {
    NcclCommunicator comm;
    CudaStream stream = make_stream();
};

class NcclChannel : public Channel {
  public:
    NcclChannel(Direction& out, Direction& in, int peer, RegisteredMemory& memory, Buffer& tokens,
                const ChannelParameters& parameters, bool yields)
        : peer_(peer),
          memory_(memory.data()),
          tokens_(static_cast<std::byte*>(tokens.data())),
          out_(out.comm),
          in_(in.comm),
          yields_(yields),
          sends_(out.comm.get(), out.stream.get(), parameters.send_depth),
          receives_(in.comm.get(), in.stream.get(), parameters.receive_depth) {
        finished_.reserve(static_cast<std::size_t>(parameters.send_depth) +
                          static_cast<std::size_t>(parameters.receive_depth));
    }

    ~NcclChannel() override {
        const std::size_t left = sends_.in_flight() + receives_.in_flight();
        if (left > 0)
            log_here("a channel to rank {} was left with {} messages in flight", peer_, left);
    }

    void post(const Message& message) override {
        const bool is_token = message.bytes == 0;
        const std::size_t bytes = is_token ? 1 : message.bytes;
        switch (message.verb) {
            case Verb::send: {
                const std::byte* from = is_token ? tokens_ : memory_ + message.offset;
                return sends_.post(message.id, "ncclSend", [=, this](auto comm, auto stream) {
                    return ncclSend(from, bytes, ncclUint8, peer_, comm, stream);
                });
            }
            case Verb::receive: {
                std::byte* to = is_token ? tokens_ + 1 : memory_ + message.offset;
                return receives_.post(message.id, "ncclRecv", [=, this](auto comm, auto stream) {
                    return ncclRecv(to, bytes, ncclUint8, peer_, comm, stream);
                });
            }
            case Verb::write:
            case Verb::read: throw std::logic_error("NCCL's messages are not one-sided");
        }
    }

    std::span<const Completion> poll() override {
        constexpr unsigned polls_per_look = 1024;
        finished_.clear();
        sends_.poll(finished_);
        receives_.poll(finished_);
        if (!finished_.empty()) return finished_;
        if (++polls_ % polls_per_look == 0) {
            out_.require_healthy();
            in_.require_healthy();
        }
        if (yields_) sched_yield();
        return {};
    }

    void close() override {
        if (sends_.in_flight() + receives_.in_flight() > 0)
            throw std::logic_error("a channel is closed with messages in flight");
    }

  private:
    int peer_;
    std::byte* memory_;
    std::byte* tokens_;
    const NcclCommunicator& out_;
    const NcclCommunicator& in_;
    bool yields_;
    unsigned polls_ = 0;
    Lane sends_;
    Lane receives_;
    std::vector<Completion> finished_;
};

class NcclTransport : public Transport {
  public:
    explicit NcclTransport(MPI_Comm comm)
        : job_(Communicator::duplicate(comm)), yields_(shares_cpus(comm)) {
        root_ = NcclCommunicator::make_root(job_.get(), {});
        up_.comm = root_.split(0, {});
        down_.comm = root_.split(0, {});
    }

    std::string_view name() const override { return "nccl"; }
    Capabilities capabilities() const override { return nccl_capabilities; }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        return std::make_unique<RegisteredMemory>(space.allocate(size));
    }

    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        require_capable(name(), capabilities(), parameters);
        const bool is_lower = job_.rank() < peer;
        Direction& out = is_lower ? up_ : down_;
        Direction& in = is_lower ? down_ : up_;
        greet(peer, out, in);
        return std::make_unique<NcclChannel>(out, in, peer, memory, tokens_, parameters, yields_);
    }

    void close() override {
        tokens_ = {};
        up_.comm.close();
        down_.comm.close();
        root_.close();
        job_.close();
    }

    /// Freeing memory would wait for a kernel that hangs.
    void abandon() noexcept override {
        up_.comm = {};
        down_.comm = {};
        root_ = {};
    }

  private:
    /// NCCL connects two ranks by their first message, which would cost the first sample. Alone, a
    /// first send or receive does not return before the peer's counterpart: they must be one call.
    void greet(int peer, Direction& out, Direction& in) {
        auto* const token = static_cast<std::byte*>(tokens_.data());
        ncclResult_t result = ncclGroupStart();
        const auto issue = [&result](ncclResult_t next) {
            result = result == ncclSuccess ? next : result;
        };
        issue(ncclSend(token, 1, ncclUint8, peer, out.comm.get(), out.stream.get()));
        issue(ncclRecv(token + 1, 1, ncclUint8, peer, in.comm.get(), in.stream.get()));
        issue(ncclGroupEnd());
        check_nccl(result, "connecting two ranks", out.comm.get());
        for (const Direction* direction : {&out, &in}) {
            while (cudaStreamQuery(direction->stream.get()) == cudaErrorNotReady) {
                direction->comm.require_healthy();
                sched_yield();
            }
            check_cuda(cudaStreamQuery(direction->stream.get()), "connecting two ranks");
        }
    }

    Communicator job_;
    bool yields_;
    NcclCommunicator root_;
    Direction up_;
    Direction down_;
    Buffer tokens_ = make_cuda_memory()->allocate(token_bytes);
};

}  // namespace

void require_nccl_transport(std::string_view memory) {
    require_gpu_reaches(memory);
    const char* const connections = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    if (connections == nullptr || std::string_view(connections) != "1") return;
    throw Error(ExitCode::usage, "CUDA_DEVICE_MAX_CONNECTIONS is 1",
                "a send and a receive must run at the same time, each on its own queue to the GPU",
                "unset it");
}

std::unique_ptr<Transport> make_nccl_transport(MPI_Comm comm) {
    return std::make_unique<NcclTransport>(comm);
}

}  // namespace railgauge
