// SPDX-License-Identifier: Apache-2.0
// MPI collectives: a prepared call is a function pointer and its arguments.
#include <cstddef>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "collectives/collectives.hpp"
#include "collectives/mpi_calls.hpp"
#include "measure/laps.hpp"
#include "mpi/check.hpp"
#include "mpi/communicator.hpp"

namespace railgauge {
namespace {

bool can_compute_with(DataType type) {
    switch (type) {
        case DataType::float16:
        case DataType::bfloat16:
        case DataType::float8e4m3:
        case DataType::float8e5m2:
        case DataType::bytes: return false;
        default: return true;
    }
}

/// Why MPI cannot combine elements of the call's type in its way; empty when it can.
std::string reduction_obstacle(const CollectiveCall& call) {
    if (call.reduce == ReduceOperation::none) return {};
    if (mpi_op(call.reduce) == MPI_OP_NULL)
        return fmt::format("MPI has no {}", to_text(call.reduce));
    if (!can_compute_with(call.type))
        return fmt::format("MPI-3 cannot compute with {}", to_text(call.type));
    return {};
}

class MpiCollectives : public Collectives {
  public:
    explicit MpiCollectives(const CollectivesSetting& setting)
        : job_(Communicator::duplicate(setting.comm)),
          group_(setting.group),
          comm_(Communicator::split(job_.get(), setting.group)) {}

    std::string_view name() const override { return "mpi"; }
    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }

    std::string obstacle(const CollectiveCall& call, const LaunchManner& manner) const override {
        if (std::string why = reduction_obstacle(call); !why.empty()) return why;
        if (manner.captured > 0) return "MPI operations cannot be recorded in a CUDA graph";
        if (manner.together > 1 && mpi_launch_of(call.operation).start == nullptr)
            return "its steps depend on each other, so that several cannot be issued together";
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        const std::size_t count = largest_count(call);
        if (count <= most) return {};
        return fmt::format("an MPI-3 count is an int, and {} is more than {}", count, most);
    }

    Buffer allocate(MemorySpace& memory, std::size_t size, BufferKind kind) override {
        if (kind == BufferKind::plain) return memory.allocate(size);
        throw Error(ExitCode::usage, "MPI has no such buffers",
                    "it cannot be told of a buffer beforehand", "use --buffers plain");
    }

    void prepare(std::span<const CollectiveCall> calls, const LaunchManner& /*manner*/) override {
        launch_ = mpi_launch_of(calls.front().operation);
        arguments_.clear();
        for (const CollectiveCall& call : calls)
            arguments_.push_back(mpi_arguments(call, comm_.get(), rank(), size()));
        requests_.assign(calls.size() * most_requests, MPI_REQUEST_NULL);
    }

    void launch() override {
        if (arguments_.size() > 1) return launch_together();
        check_mpi(launch_.issue(arguments_.front()), launch_.name);
    }
    void complete() override {}

    CommunicatorLife live() override;

    void close() override {
        if (comm_) comm_.close();
        job_.close();
    }

  private:
    void launch_together() {
        MPI_Request* requests = requests_.data();
        for (const MpiArguments& arguments : arguments_) {
            check_mpi(launch_.start(arguments, requests), launch_.name);
            requests += most_requests;
        }
        check_mpi(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            launch_.name);
    }

    /// MPI-3 counts are int. Reduce_scatter_block is judged by its whole vector, which Open MPI
    /// before 5 counts in an int too; the last step of a hypercube moves half of everything.
    std::size_t largest_count(const CollectiveCall& call) const {
        const auto ranks = static_cast<std::size_t>(size());
        if (call.operation == Operation::reduce_scatter) return call.count * ranks;
        if (call.operation == Operation::hypercube) return call.count * ((ranks + 1) / 2);
        return call.count;
    }

    Communicator job_;
    int group_;
    Communicator comm_;
    MpiLaunch launch_{};
    std::vector<MpiArguments> arguments_;
    std::vector<MPI_Request> requests_;
};

CommunicatorLife MpiCollectives::live() {
    CommunicatorLife life;
    Laps laps;
    Communicator all = Communicator::duplicate(job_.get());
    life.init_ns = laps.next();
    Communicator part = Communicator::split(all.get(), group_);
    life.split_ns = laps.next();
    if (part) {
        int value = 0;
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, part.get()),
                  "the first operation of a communicator");
        life.first_ns = laps.next();
        part.close();
    }
    all.close();
    life.finalize_ns = laps.next();
    return life;
}

}  // namespace

std::unique_ptr<Collectives> make_mpi_collectives(const CollectivesSetting& setting) {
    return std::make_unique<MpiCollectives>(setting);
}

}  // namespace railgauge
