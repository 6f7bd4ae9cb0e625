// SPDX-License-Identifier: Apache-2.0
// What the measuring core adds to a collective in batched mode: alternating blocks of the Runner
// and of a plain loop over the same MPI call, in one process. Rank 0 prints one line per case,
// whose last word is the ratio of the median times. One launch says little (placement of processes
// and pages differs between launches): benchmarks/micro/batched_ratio takes the median of several.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "collective/operations.hpp"
#include "collective/options.hpp"
#include "collective/plan.hpp"
#include "collective/workload.hpp"
#include "measure/runner.hpp"
#include "measure/sweep.hpp"
#include "mpi/communicator.hpp"
#include "mpi/placement.hpp"
#include "mpi/session.hpp"
#include "mpi/team.hpp"

namespace railgauge {
namespace {

/// Short blocks: on a machine with other work only neighbours in time can be compared.
struct Shape {
    std::size_t pairs = 200;  ///< blocks of each kind
    std::size_t samples = 5;
    std::uint64_t ops_per_sample = 50;
};

/// Mean over ranks of the time of one operation, in ns, from each rank's time of a block.
double mean_over_ranks(std::int64_t elapsed_ns, const Shape& shape, MPI_Comm comm) {
    auto sum = static_cast<double>(elapsed_ns);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return sum / ranks / static_cast<double>(shape.samples * shape.ops_per_sample);
}

/// The loop that everyone writes first, as warm as the Runner's.
template <class Call>
std::int64_t time_plain(const Shape& shape, MPI_Comm comm, Call call) {
    for (std::size_t i = 0; i < RunnerOptions().warmup; ++i)
        call();
    MPI_Barrier(comm);
    const std::int64_t begin_ns = monotonic_now_ns();
    for (std::size_t i = 0; i < shape.samples * shape.ops_per_sample; ++i)
        call();
    return monotonic_now_ns() - begin_ns;
}

/// The same operation as the workload's, on the workload's buffers (where memory lies makes a
/// difference of some percent), on a communicator of its own.
class PlainLoop {
  public:
    PlainLoop(const CollectiveCall& call, const Weights& weights, MPI_Comm comm)
        : call_(call), comm_(comm) {
        MPI_Comm_size(comm, &ranks_);
        MPI_Comm_rank(comm, &rank_);
        count_ = static_cast<int>(call_.count);
        spread(scale_to(weights, static_cast<std::size_t>(ranks_), call_.count));
    }

    std::int64_t time(const Shape& shape) const {
        const void* const send = call_.send;
        void* const receive = call_.receive;
        const int count = count_;
        const MPI_Comm comm = comm_;
        switch (call_.operation) {
            case Operation::all_reduce:
                return time_plain(shape, comm, [=] {
                    MPI_Allreduce(send, receive, count, MPI_FLOAT, MPI_SUM, comm);
                });
            case Operation::all_gather:
                return time_plain(shape, comm, [=] {
                    MPI_Allgather(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, comm);
                });
            case Operation::reduce_scatter:
                return time_plain(shape, comm, [=] {
                    MPI_Reduce_scatter_block(send, receive, count, MPI_FLOAT, MPI_SUM, comm);
                });
            case Operation::broadcast:
                return time_plain(shape, comm,
                                  [=] { MPI_Bcast(receive, count, MPI_FLOAT, 0, comm); });
            case Operation::reduce:
                return time_plain(shape, comm, [=] {
                    MPI_Reduce(send, receive, count, MPI_FLOAT, MPI_SUM, 0, comm);
                });
            case Operation::alltoall:
                return time_plain(shape, comm, [=] {
                    MPI_Alltoall(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, comm);
                });
            default: return time_more(shape);
        }
    }

  private:
    std::int64_t time_more(const Shape& shape) const {
        const void* const send = call_.send;
        void* const receive = call_.receive;
        const int count = count_;
        const MPI_Comm comm = comm_;
        const int next = (rank_ + 1) % ranks_;
        const int previous = (rank_ + ranks_ - 1) % ranks_;
        switch (call_.operation) {
            case Operation::alltoallv:
                return time_plain(shape, comm, [&, comm] {
                    MPI_Alltoallv(send, send_counts_.data(), send_offsets_.data(), MPI_FLOAT,
                                  receive, receive_counts_.data(), receive_offsets_.data(),
                                  MPI_FLOAT, comm);
                });
            case Operation::gather:
                return time_plain(shape, comm, [=] {
                    MPI_Gather(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, 0, comm);
                });
            case Operation::scatter:
                return time_plain(shape, comm, [=] {
                    MPI_Scatter(send, count, MPI_FLOAT, receive, count, MPI_FLOAT, 0, comm);
                });
            case Operation::sendrecv:
                return time_plain(shape, comm, [=] {
                    MPI_Sendrecv(send, count, MPI_FLOAT, next, 0, receive, count, MPI_FLOAT,
                                 previous, 0, comm, MPI_STATUS_IGNORE);
                });
            case Operation::hypercube: return time_plain(shape, comm, [this] { hypercube(); });
            default: throw std::logic_error("an operation has no plain loop");
        }
    }

    void hypercube() const {
        auto* const all = static_cast<float*>(call_.receive);
        std::memcpy(all + std::ptrdiff_t{rank_} * count_, call_.send,
                    static_cast<std::size_t>(count_) * sizeof(float));
        for (int bit = 1; bit < ranks_; bit *= 2) {
            const int peer = rank_ ^ bit;
            MPI_Sendrecv(all + static_cast<std::ptrdiff_t>(rank_ & ~(bit - 1)) * count_,
                         bit * count_, MPI_FLOAT, peer, 0,
                         all + static_cast<std::ptrdiff_t>(peer & ~(bit - 1)) * count_,
                         bit * count_, MPI_FLOAT, peer, 0, comm_, MPI_STATUS_IGNORE);
        }
    }

    void spread(const CountMatrix& counts) {
        const auto self = static_cast<std::size_t>(rank_);
        for (std::size_t peer = 0; peer < counts.ranks(); ++peer) {
            send_counts_.push_back(static_cast<int>(counts.count(self, peer)));
            send_offsets_.push_back(static_cast<int>(counts.send_offset(self, peer)));
            receive_counts_.push_back(static_cast<int>(counts.count(peer, self)));
            receive_offsets_.push_back(static_cast<int>(counts.receive_offset(peer, self)));
        }
    }

    CollectiveCall call_;
    MPI_Comm comm_;
    int rank_ = 0;
    int ranks_ = 1;
    int count_ = 0;
    std::vector<int> send_counts_, send_offsets_, receive_counts_, receive_offsets_;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// One case: blocks in the order A B B A A B B A ..., so that a drift of the machine hits both.
void compare(const Case& c, const Weights& weights, CollectiveWorkload& workload, Team& team,
             MPI_Comm comm, const Shape& shape) {
    Progress progress;
    RunnerOptions options;
    options.check = CheckMode::off;
    options.ops_per_sample = shape.ops_per_sample;
    Runner runner(team, progress, monotonic_clock, options);
    const auto rule = make_fixed_rule(shape.samples);
    SampleBuffer samples;
    workload.prepare(c);
    const PlainLoop plain(workload.calls().front(), weights, comm);

    std::vector<double> ours_ns;
    std::vector<double> plain_ns;
    for (std::size_t block = 0; block < 2 * shape.pairs; ++block) {
        if (block % 4 == 0 || block % 4 == 3) {
            runner.run(c, workload, *rule, samples);
            const std::int64_t last =
                static_cast<std::int64_t>(samples.start_ns().back() + samples.elapsed_ns().back());
            ours_ns.push_back(mean_over_ranks(
                last - static_cast<std::int64_t>(samples.start_ns().front()), shape, comm));
        } else {
            plain_ns.push_back(mean_over_ranks(plain.time(shape), shape, comm));
        }
    }
    if (team.rank() != 0) return;
    fmt::print("{} runner {:.1f} ns plain {:.1f} ns ratio {:.4f}\n", c.name(), median(ours_ns),
               median(plain_ns), median(ours_ns) / median(plain_ns));
}

int run(int argc, char** argv) {
    CollectiveOptions options;
    options.sizes = "8,1KiB,64KiB";
    Shape shape;
    CLI::App app("Runner in batched mode against a plain MPI loop (float32, sum)");
    options.add_to(app);
    app.add_option("--pairs", shape.pairs, "Blocks of each kind")->capture_default_str();
    app.add_option("--samples", shape.samples, "Samples of a block")->capture_default_str();
    app.add_option("--ops-per-sample", shape.ops_per_sample, "Operations of a sample")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    MpiSession session(argc, argv);
    Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
    MpiTeam team(comm.get(), host_name());
    const auto plan = make_plan(plan_collectives(options, {comm.size()}).cases);
    const Weights weights = options.weights(comm.size());
    CollectiveWorkload workload(
        make_mpi_collectives({comm.get(), 0, {}}), make_host_memory(), plan,
        {{0, comm.size()}, {}, {std::uint64_t{1} << 32, comm.size()}, weights});
    for (const Case& c : plan)
        compare(c, weights, workload, team, comm.get(), shape);
    workload.close();
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
        std::fprintf(stderr, "batched_against_plain: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
