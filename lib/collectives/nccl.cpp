// SPDX-License-Identifier: Apache-2.0
// NCCL collectives on a stream of their own, timed by events.
#include <optional>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sched.h>

#include "base/error.hpp"
#include "collectives/collectives.hpp"
#include "collectives/element.hpp"
#include "collectives/nccl_calls.hpp"
#include "cuda/event_timer.hpp"
#include "cuda/gpu.hpp"
#include "cuda/handles.hpp"
#include "measure/laps.hpp"
#include "measure/team.hpp"
#include "memory/cuda.hpp"
#include "mpi/communicator.hpp"
#include "mpi/cpu_share.hpp"
#include "nccl/buffer.hpp"
#include "nccl/check.hpp"
#include "nccl/communicator.hpp"
#include "nccl/live.hpp"
#include "nccl/profiler.hpp"

namespace railgauge {
namespace {

std::int64_t free_gpu_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "asking for free GPU memory");
    return static_cast<std::int64_t>(free);
}

/// A sum of inputs that this rank multiplies by its factor first.
class MulSum {
  public:
    MulSum(DataType type, int rank, ncclComm_t comm) : comm_(comm) {
        with_element(type, [&]<class Element>(Element) {
            auto factor = Element::from_whole(mulsum_factor(rank));
            check_nccl(ncclRedOpCreatePreMulSum(&operation_, &factor, nccl_type(type),
                                                ncclScalarHostImmediate, comm),
                       "making a mulsum", comm);
        });
    }
    ~MulSum() { log_nccl_error(ncclRedOpDestroy(operation_, comm_), "destroying a mulsum"); }
    MulSum(const MulSum&) = delete;
    MulSum& operator=(const MulSum&) = delete;

    ncclRedOp_t get() const { return operation_; }

  private:
    ncclRedOp_t operation_{};
    ncclComm_t comm_;
};

class NcclCollectives : public Collectives {
  public:
    explicit NcclCollectives(const CollectivesSetting& setting)
        : job_(Communicator::duplicate(setting.comm)),
          setting_(setting),
          yields_(shares_cpus(setting.comm)) {
        profiler_.arm();
        root_ = NcclCommunicator::make_root(job_.get(), setting.nccl);
        comm_ = root_.split(setting.group, setting.nccl);
    }

    std::string_view name() const override { return "nccl"; }
    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }
    ResultPlace result_place() const override { return ResultPlace::own_place; }

    std::string obstacle(const CollectiveCall& call, const LaunchManner& manner) const override {
        if (call.reduce != ReduceOperation::none && size_of(call.type) == 1 &&
            row_of(call.type).kind == NumberKind::floating && bound_gpu().compute_major < 9)
            return "NCCL computes with 8-bit floats on GPUs of compute capability 9.0 and later";
        if (call.place == Place::in && call.operation == Operation::alltoall)
            return "NCCL has no alltoall in place";
        if (manner.together > 1 && nccl_launch_of(call.operation).has_steps)
            return "its steps depend on each other, so that several cannot be issued together";
        return {};
    }

    Buffer allocate(MemorySpace& memory, std::size_t size, BufferKind kind) override {
        if (kind == BufferKind::plain) return memory.allocate(size);
        if (memory.is_host_addressable()) {
            throw Error(ExitCode::usage, "NCCL registers no such buffers here",
                        "registered and symmetric buffers are GPU memory", "use --memory cuda");
        }
        return kind == BufferKind::registered ? allocate_registered(comm_.get(), size)
                                              : allocate_symmetric(comm_.get(), size);
    }

    void prepare(std::span<const CollectiveCall> calls, const LaunchManner& manner) override {
        const CollectiveCall& first = calls.front();
        launch_ = nccl_launch_of(first.operation);
        graph_.reset();
        mulsum_.reset();
        is_timing_ = false;
        if (first.reduce == ReduceOperation::mulsum)
            mulsum_.emplace(first.type, rank(), comm_.get());
        arguments_.clear();
        for (const CollectiveCall& call : calls)
            add(call);
        if (manner.captured > 0) capture(manner.captured);
    }

    void launch() override {
        if (!is_timing_) {
            timer_.begin(stream_.get());
            is_timing_ = true;
        }
        if (graph_)
            check_cuda(cudaGraphLaunch(graph_.get(), stream_.get()), "launching a CUDA graph");
        else
            issue();
    }

    void complete() override {
        timer_.end(stream_.get());
        is_timing_ = false;
        wait_on(comm_, launch_.name);
    }

    bool has_device_times() const override { return true; }
    void reserve_device_times(std::size_t samples) override { timer_.reserve(samples); }
    void collect_device_times(std::size_t samples) override { timer_.collect(samples); }
    std::span<const Cell> device_times_ns() const override { return timer_.times_ns(); }
    std::size_t longest_block() const override { return EventTimer::block_samples; }

    void watch_choice() override {
        static_cast<void>(profiler_.take());
        profiler_.activate();
    }

    LibraryChoice take_choice() override;
    CommunicatorLife live() override;

    void close() override {
        mulsum_.reset();
        graph_.reset();
        comm_.close();
        root_.close();
        job_.close();
    }

    /// Destroying a stream or freeing memory would wait for a kernel that hangs, and aborting for
    /// graphs that use the communicator.
    void abandon() noexcept override {
        graph_.reset();
        mulsum_.reset();
        comm_ = {};
        root_ = {};
    }

  private:
    void add(const CollectiveCall& call) {
        NcclArguments arguments = nccl_arguments(call, rank(), size());
        if (mulsum_) arguments.reduce = mulsum_->get();
        arguments.comm = comm_.get();
        arguments.stream = stream_.get();
        arguments_.push_back(std::move(arguments));
    }

    void issue() {
        if (arguments_.size() == 1) {
            check_nccl(launch_.issue(arguments_.front()), launch_.name, comm_.get());
            return;
        }
        // A group that was begun must be ended whatever happens in it, or nothing is launched any
        // more.
        ncclResult_t result = ncclGroupStart();
        for (const NcclArguments& arguments : arguments_)
            result = result == ncclSuccess ? launch_.issue(arguments) : result;
        const ncclResult_t ended = ncclGroupEnd();
        check_nccl(result == ncclSuccess ? ended : result, launch_.name, comm_.get());
    }

    void capture(int launches) {
        cudaStream_t stream = stream_.get();
        check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "beginning a CUDA graph");
        const auto failure = attempt([&] {
            for (int i = 0; i < launches; ++i)
                issue();
        });
        // Ended whatever happened, or the stream could not be used any more.
        cudaGraph_t graph = nullptr;
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        const CudaGraph recorded(graph);
        if (failure) throw Error(failure->code, failure->text);
        check_cuda(ended, "ending a CUDA graph");
        cudaGraphExec_t executable = nullptr;
        check_cuda(cudaGraphInstantiate(&executable, graph, 0), "making a CUDA graph executable");
        graph_.reset(executable);
    }

    /// The stream is polled, so that an error of the communicator is seen while the operation
    /// hangs.
    void wait_on(const NcclCommunicator& comm, const char* doing) {
        constexpr unsigned polls_per_look = 1024;
        for (unsigned polls = 1;; ++polls) {
            const cudaError_t state = cudaStreamQuery(stream_.get());
            if (state == cudaSuccess) break;
            if (state != cudaErrorNotReady) check_cuda(state, doing);
            if (polls % polls_per_look == 0) comm.require_healthy();
            if (yields_) sched_yield();
        }
    }

    Communicator job_;
    CollectivesSetting setting_;
    bool yields_;
    NcclProfiler profiler_;
    NcclCommunicator root_;
    NcclCommunicator comm_;
    CudaStream stream_ = make_stream();
    EventTimer timer_;
    bool is_timing_ = false;
    NcclLaunch launch_{};
    std::vector<NcclArguments> arguments_;
    CudaGraphExec graph_;
    std::optional<MulSum> mulsum_;
};

LibraryChoice NcclCollectives::take_choice() {
    profiler_.deactivate();
    std::vector<AlgorithmUse> uses = profiler_.take();
    std::erase_if(uses, [](const AlgorithmUse& use) { return use.operation == profiler_more; });
    if (uses.empty()) return {};
    LibraryChoice choice{uses.front().algorithm, uses.front().protocol, uses.front().channels};
    for (const AlgorithmUse& use : uses) {  // more than one: say all, and no one number
        if (use.algorithm != choice.algorithm) choice.algorithm += "+" + use.algorithm;
        if (use.protocol != choice.protocol) choice.protocol += "+" + use.protocol;
        if (use.channels != choice.channels) choice.channels = -1;
    }
    return choice;
}

CommunicatorLife NcclCollectives::live() {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    constexpr const char* first = "the first operation of a communicator";
    CommunicatorLife life;
    const std::int64_t free_before = free_gpu_bytes();
    Laps laps;
    Buffer buffer;  // outlives the communicators on the way out of an error: they are aborted first
    NcclCommunicator root = NcclCommunicator::make_root(job_.get(), setting_.nccl);
    life.init_ns = laps.next();
    NcclCommunicator part = root.split(setting_.group, setting_.nccl);
    life.split_ns = laps.next();
    if (part) {
        const std::int64_t free_between = free_gpu_bytes();
        laps.next();
        buffer = allocate_registered(part.get(), bytes);
        life.register_ns = laps.next();
        const std::int64_t buffer_bytes = free_between - free_gpu_bytes();
        laps.next();
        check_nccl(ncclAllReduce(buffer.data(), buffer.data(), bytes, ncclUint8, ncclMax,
                                 part.get(), stream_.get()),
                   first, part.get());
        wait_on(part, first);
        life.first_ns = laps.next();
        life.memory_bytes = free_before - free_gpu_bytes() - buffer_bytes;
        buffer = {};
        laps.next();
    }
    part.close();
    root.close();
    life.finalize_ns = laps.next();
    return life;
}

}  // namespace

void require_nccl(std::string_view memory) {
    require_gpu_reaches(memory);
}

std::unique_ptr<Collectives> make_nccl_collectives(const CollectivesSetting& setting) {
    return std::make_unique<NcclCollectives>(setting);
}

}  // namespace railgauge
