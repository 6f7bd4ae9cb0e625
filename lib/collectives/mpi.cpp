// SPDX-License-Identifier: Apache-2.0
// MPI collectives: a prepared call is a function pointer and its arguments.
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <mpi.h>

#include "collectives/collectives.hpp"
#include "mpi/check.hpp"
#include "mpi/communicator.hpp"

namespace railgauge {
namespace {

struct Arguments {
    const void* send = nullptr;
    void* receive = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op reduce = MPI_OP_NULL;
    int root = 0;
    MPI_Comm comm = MPI_COMM_NULL;
};

int all_reduce(const Arguments& a) {
    return MPI_Allreduce(a.send, a.receive, a.count, a.type, a.reduce, a.comm);
}
int all_gather(const Arguments& a) {
    return MPI_Allgather(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}
int reduce_scatter(const Arguments& a) {
    return MPI_Reduce_scatter_block(a.send, a.receive, a.count, a.type, a.reduce, a.comm);
}
int broadcast(const Arguments& a) {
    return MPI_Bcast(a.receive, a.count, a.type, a.root, a.comm);
}
int reduce(const Arguments& a) {
    return MPI_Reduce(a.send, a.receive, a.count, a.type, a.reduce, a.root, a.comm);
}
int alltoall(const Arguments& a) {
    return MPI_Alltoall(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}

using Issue = int (*)(const Arguments&);

/// An operation's launch, and what stands in an error of it.
struct Launch {
    Issue issue;
    const char* name;
};

Launch launch_of(Operation operation) {
    switch (operation) {
        case Operation::all_reduce: return {&all_reduce, "MPI_Allreduce"};
        case Operation::all_gather: return {&all_gather, "MPI_Allgather"};
        case Operation::reduce_scatter: return {&reduce_scatter, "MPI_Reduce_scatter_block"};
        case Operation::broadcast: return {&broadcast, "MPI_Bcast"};
        case Operation::reduce: return {&reduce, "MPI_Reduce"};
        case Operation::alltoall: return {&alltoall, "MPI_Alltoall"};
    }
    throw std::logic_error("an operation has no MPI launch");
}

MPI_Datatype mpi_type(DataType type) {
    switch (type) {
        case DataType::float32: return MPI_FLOAT;
        case DataType::float64: return MPI_DOUBLE;
        case DataType::int32: return MPI_INT32_T;
        case DataType::int64: return MPI_INT64_T;
        case DataType::bytes: return MPI_BYTE;
    }
    throw std::logic_error("a data type has no MPI type");
}

MPI_Op mpi_op(ReduceOperation reduce) {
    switch (reduce) {
        case ReduceOperation::none: return MPI_OP_NULL;
        case ReduceOperation::sum: return MPI_SUM;
        case ReduceOperation::max: return MPI_MAX;
    }
    throw std::logic_error("a reduction has no MPI operation");
}

/// The buffer arguments as MPI wants them: MPI_Bcast has one buffer (the root's is its input), and
/// in place MPI_IN_PLACE stands for the send buffer, in MPI_Reduce only at the root.
void set_buffers(const CollectiveCall& call, int rank, Arguments& arguments) {
    arguments.send = call.send;
    arguments.receive = call.receive;
    if (call.operation == Operation::broadcast) {
        if (rank == call.root) arguments.receive = const_cast<void*>(call.send);
    } else if (call.place == Place::in) {
        if (call.operation != Operation::reduce || rank == call.root) arguments.send = MPI_IN_PLACE;
    }
}

class MpiCollectives : public Collectives {
  public:
    explicit MpiCollectives(MPI_Comm comm) : comm_(Communicator::duplicate(comm)) {}

    std::string_view name() const override { return "mpi"; }
    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }

    /// MPI-3 counts are int. Reduce_scatter_block is judged by its whole vector, which Open MPI
    /// before 5 counts in an int too.
    std::string obstacle(const CollectiveCall& call) const override {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        const bool whole = call.operation == Operation::reduce_scatter;
        const std::size_t count =
            whole ? call.count * static_cast<std::size_t>(size()) : call.count;
        if (count <= most) return {};
        return fmt::format("an MPI-3 count is an int, and {} is more than {}", count, most);
    }

    void prepare(const CollectiveCall& call) override {
        launch_ = launch_of(call.operation);
        arguments_.count = static_cast<int>(call.count);
        arguments_.type = mpi_type(call.type);
        arguments_.reduce = mpi_op(call.reduce);
        arguments_.root = call.root;
        arguments_.comm = comm_.get();
        set_buffers(call, rank(), arguments_);
    }

    void launch() override { check_mpi(launch_.issue(arguments_), launch_.name); }
    void complete() override {}
    void close() override { comm_.close(); }

  private:
    Communicator comm_;
    Launch launch_{};
    Arguments arguments_;
};

}  // namespace

std::unique_ptr<Collectives> make_mpi_collectives(MPI_Comm comm) {
    return std::make_unique<MpiCollectives>(comm);
}

}  // namespace railgauge
