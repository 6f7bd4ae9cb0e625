// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <mpi.h>
#include <nccl.h>

#include "checks.hpp"
#include "collectives/collectives.hpp"
#include "cuda/event_timer.hpp"
#include "cuda/handles.hpp"
#include "measure/clock.hpp"
#include "memory/cuda.hpp"
#include "nccl/check.hpp"
#include "nccl/communicator.hpp"

namespace railgauge::smoke {
namespace {

/// Below the depth at which a stream makes the host wait.
constexpr int launches_per_block = 200;
constexpr int blocks = 101;
constexpr double most_ratio = 1.1;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

template <class Work>
double time_ns(Work work) {
    const std::int64_t begin_ns = monotonic_now_ns();
    work();
    return static_cast<double>(monotonic_now_ns() - begin_ns);
}

/// What every loop here issues: a float of one rank to another place.
class Operand {
  public:
    const void* send() const { return memory_.data(); }
    void* receive() const { return static_cast<std::byte*>(memory_.data()) + 4096; }

  private:
    std::unique_ptr<MemorySpace> space_ = make_cuda_memory();
    Buffer memory_ = space_->allocate(8192);
};

/// ncclAllReduce in a plain loop, as programs that measure NCCL have it.
class BareLoop {
  public:
    explicit BareLoop(const Operand& operand)
        : operand_(operand),
          root_(NcclCommunicator::make_root(MPI_COMM_WORLD, {})),
          comm_(root_.split(0, {})) {}

    double issue_ns() {
        const double ns = time_ns([this] {
            for (int i = 0; i < launches_per_block; ++i) {
                check_nccl(ncclAllReduce(operand_.send(), operand_.receive(), 1, ncclFloat32,
                                         ncclSum, comm_.get(), stream_.get()),
                           "ncclAllReduce", comm_.get());
            }
        });
        wait();
        return ns;
    }

    void close() {
        comm_.close();
        root_.close();
    }

  private:
    void wait() {
        cudaError_t state = cudaErrorNotReady;
        while (state == cudaErrorNotReady)
            state = cudaStreamQuery(stream_.get());
        check_cuda(state, "ncclAllReduce");
    }

    const Operand& operand_;
    NcclCommunicator root_;
    NcclCommunicator comm_;
    CudaStream stream_ = make_stream();
};

/// The same through this project's seam, as its timed loop has it.
class SeamLoop {
  public:
    explicit SeamLoop(const Operand& operand)
        : group_(make_nccl_collectives({.comm = MPI_COMM_WORLD, .group = 0})) {
        const CollectiveCall call{Operation::all_reduce,
                                  DataType::float32,
                                  ReduceOperation::sum,
                                  Place::out,
                                  0,
                                  1,
                                  operand.send(),
                                  operand.receive(),
                                  {}};
        group_->prepare({&call, 1}, {});
    }

    double issue_ns() {
        const double ns = time_ns([this] {
            for (int i = 0; i < launches_per_block; ++i)
                group_->launch();
        });
        group_->complete();
        return ns;
    }

    void close() { group_->close(); }

  private:
    std::unique_ptr<Collectives> group_;
};

struct Costs {
    double bare_ns;
    double ratio;
};

/// Blocks of both loops in turn, each before the other in half of the pairs: the median of the
/// ratios of neighbours.
Costs compare_loops() {
    const Operand operand;
    BareLoop bare(operand);
    SeamLoop seam(operand);
    std::vector<double> bare_ns;
    std::vector<double> ratios;
    for (int i = -5; i < blocks; ++i) {
        const double before_ns = i % 2 == 0 ? bare.issue_ns() : 0;
        const double seam_ns = seam.issue_ns();
        const double own_ns = i % 2 == 0 ? before_ns : bare.issue_ns();
        if (i < 0) continue;  // warm-up
        bare_ns.push_back(own_ns / launches_per_block);
        ratios.push_back(seam_ns / own_ns);
    }
    seam.close();
    bare.close();
    return {median(bare_ns), median(ratios)};
}

/// Of the two event records of a sample.
double event_pair_ns() {
    EventTimer timer;
    const CudaStream stream = make_stream();
    std::vector<double> pair_ns;
    for (int i = 0; i < blocks; ++i) {
        const double ns = time_ns([&] {
            for (int j = 0; j < launches_per_block; ++j) {
                timer.begin(stream.get());
                timer.end(stream.get());
            }
        });
        check_cuda(cudaStreamSynchronize(stream.get()), "recording CUDA events");
        pair_ns.push_back(ns / launches_per_block);
    }
    return median(pair_ns);
}

}  // namespace

std::vector<Row> measure_launch_costs() {
    const std::string launch = "issuing: seam / bare loop";
    const std::string events = "two events of a sample";
    return {guarded(launch,
                    [&] {
                        const Costs costs = compare_loops();
                        return judged(
                            launch, costs.ratio < most_ratio,
                            fmt::format("{:.3f}, bare {:.0f} ns", costs.ratio, costs.bare_ns),
                            "good: below 1.1; one rank's all_reduce is a copy");
                    }),
            guarded(events, [&] {
                return judged(events, true, fmt::format("{:.0f} ns", event_pair_ns()),
                              "host's time, not judged");
            })};
}

}  // namespace railgauge::smoke
