// SPDX-License-Identifier: Apache-2.0
// Host cost of enqueueing an operation of NCCL: NcclCollectives::launch() against a bare loop of
// ncclAllReduce, on the same buffers, in alternating blocks. What happens on the GPU does not
// count: each block is waited for outside the timed stretch. Runs on a GPU, or on the test double.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <CLI/CLI.hpp>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <mpi.h>
#include <nccl.h>

#include "base/error.hpp"
#include "collectives/collectives.hpp"
#include "cuda/gpu.hpp"
#include "cuda/handles.hpp"
#include "measure/clock.hpp"
#include "memory/cuda.hpp"
#include "mpi/communicator.hpp"
#include "mpi/session.hpp"
#include "nccl/check.hpp"
#include "nccl/communicator.hpp"

namespace railgauge {
namespace {

struct Shape {
    std::size_t pairs = 30;
    std::size_t operations = 200;  ///< enqueued in a block, fewer than a stream holds
    std::size_t count =
        262'144;  ///< so long that the stream never runs dry while a block is enqueued
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The first call is not timed: it finds the stream empty, wakes what serves it, and of ours
/// records the event that begins a sample.
/// @return ns per call, on this rank
template <class Call>
double time_calls(const Shape& shape, MPI_Comm comm, Call call) {
    MPI_Barrier(comm);
    call();
    const std::int64_t begin_ns = monotonic_now_ns();
    for (std::size_t i = 0; i < shape.operations; ++i)
        call();
    const std::int64_t elapsed_ns = monotonic_now_ns() - begin_ns;
    return static_cast<double>(elapsed_ns) / static_cast<double>(shape.operations);
}

int run(int argc, char** argv) {
    Shape shape;
    CLI::App app("Enqueueing ncclAllReduce by the program's backend against a bare loop");
    app.add_option("--pairs", shape.pairs, "Blocks of each kind")->capture_default_str();
    app.add_option("--operations", shape.operations, "Operations of a block")
        ->capture_default_str();
    app.add_option("--count", shape.count, "Elements (float32)")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    MpiSession session(argc, argv);
    Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
    bind_gpu(comm.rank(), comm.size());
    NcclCommunicator root = NcclCommunicator::make_root(comm.get(), {});
    NcclCommunicator bare = root.split(0, {});
    const CudaStream stream = make_stream();
    const auto collectives = make_nccl_collectives({comm.get()});
    const auto memory = make_cuda_memory();
    const Buffer send = memory->allocate(shape.count * sizeof(float));
    const Buffer receive = memory->allocate(shape.count * sizeof(float));
    const CollectiveCall call{
        Operation::all_reduce, DataType::float32, ReduceOperation::sum, Place::out, 0,
        shape.count,           send.data(),       receive.data(),       nullptr};
    collectives->prepare({&call, 1}, {});

    std::vector<double> ours_ns;
    std::vector<double> bare_ns;
    for (std::size_t block = 0; block < 2 * shape.pairs; ++block) {
        if (block % 4 == 0 || block % 4 == 3) {
            ours_ns.push_back(time_calls(shape, comm.get(), [&] { collectives->launch(); }));
            collectives->complete();
        } else {
            bare_ns.push_back(time_calls(shape, comm.get(), [&] {
                check_nccl(ncclAllReduce(send.data(), receive.data(), shape.count, ncclFloat32,
                                         ncclSum, bare.get(), stream.get()),
                           "ncclAllReduce");
            }));
            check_cuda(cudaStreamSynchronize(stream.get()), "waiting for a block");
        }
    }
    fmt::print("rank {} ours {:.1f} ns bare {:.1f} ns ratio {:.4f}\n", comm.rank(), median(ours_ns),
               median(bare_ns), median(ours_ns) / median(bare_ns));
    bare.close();
    root.close();
    collectives->close();
    comm.close();
    session.close();
    return 0;
}

}  // namespace
}  // namespace railgauge

int main(int argc, char** argv) {
    try {
        return railgauge::run(argc, argv);
    } catch (const railgauge::Error& error) {
        fmt::print(stderr, "enqueue_against_bare: {}\n", error.what());
        return static_cast<int>(error.code());
    }
}
