// SPDX-License-Identifier: Apache-2.0
// MPI collectives: a prepared call is a function pointer and its arguments.
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

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
    int rank = 0;
    int ranks = 1;
    std::size_t element_bytes = 0;
    /// Of alltoallv, per peer, in elements.
    std::vector<int> send_counts, send_offsets, receive_counts, receive_offsets;
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
int alltoallv(const Arguments& a) {
    return MPI_Alltoallv(a.send, a.send_counts.data(), a.send_offsets.data(), a.type, a.receive,
                         a.receive_counts.data(), a.receive_offsets.data(), a.type, a.comm);
}
int gather(const Arguments& a) {
    return MPI_Gather(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}
int scatter(const Arguments& a) {
    return MPI_Scatter(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}

constexpr int tag = 0;

int sendrecv(const Arguments& a) {
    const int next = (a.rank + 1) % a.ranks;
    const int previous = (a.rank + a.ranks - 1) % a.ranks;
    return MPI_Sendrecv(a.send, a.count, a.type, next, tag, a.receive, a.count, a.type, previous,
                        tag, a.comm, MPI_STATUS_IGNORE);
}

/// An all-gather along the edges of a hypercube: in step k each rank has 2^k pieces and swaps them
/// with the rank whose number differs in bit k. nccl-tests has the same operation.
int hypercube(const Arguments& a) {
    auto* const all = static_cast<std::byte*>(a.receive);
    const std::size_t piece = static_cast<std::size_t>(a.count) * a.element_bytes;
    if (a.send != MPI_IN_PLACE)
        std::memcpy(all + static_cast<std::size_t>(a.rank) * piece, a.send, piece);
    for (int bit = 1; bit < a.ranks; bit <<= 1) {
        const int peer = a.rank ^ bit;
        const auto have = static_cast<std::size_t>(a.rank & ~(bit - 1));
        const auto want = static_cast<std::size_t>(peer & ~(bit - 1));
        const int status =
            MPI_Sendrecv(all + have * piece, bit * a.count, a.type, peer, tag, all + want * piece,
                         bit * a.count, a.type, peer, tag, a.comm, MPI_STATUS_IGNORE);
        if (status != MPI_SUCCESS) return status;
    }
    return MPI_SUCCESS;
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
        case Operation::alltoallv: return {&alltoallv, "MPI_Alltoallv"};
        case Operation::gather: return {&gather, "MPI_Gather"};
        case Operation::scatter: return {&scatter, "MPI_Scatter"};
        case Operation::sendrecv: return {&sendrecv, "MPI_Sendrecv"};
        case Operation::hypercube: return {&hypercube, "MPI_Sendrecv of a hypercube"};
    }
    throw std::logic_error("an operation has no MPI launch");
}

/// Types that MPI-3 lacks are moved as integers of their width.
MPI_Datatype mpi_type(DataType type) {
    switch (type) {
        case DataType::int8: return MPI_INT8_T;
        case DataType::uint8: return MPI_UINT8_T;
        case DataType::int32: return MPI_INT32_T;
        case DataType::uint32: return MPI_UINT32_T;
        case DataType::int64: return MPI_INT64_T;
        case DataType::uint64: return MPI_UINT64_T;
        case DataType::float16:
        case DataType::bfloat16: return MPI_UINT16_T;
        case DataType::float32: return MPI_FLOAT;
        case DataType::float64: return MPI_DOUBLE;
        case DataType::float8e4m3:
        case DataType::float8e5m2:
        case DataType::bytes: return MPI_BYTE;
    }
    throw std::logic_error("a data type has no MPI type");
}

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

/// MPI_OP_NULL for those MPI has not.
MPI_Op mpi_op(ReduceOperation reduce) {
    switch (reduce) {
        case ReduceOperation::sum: return MPI_SUM;
        case ReduceOperation::prod: return MPI_PROD;
        case ReduceOperation::min: return MPI_MIN;
        case ReduceOperation::max: return MPI_MAX;
        default: return MPI_OP_NULL;
    }
}

/// The buffer arguments as MPI wants them. MPI_Bcast has one buffer (the root's is its input). In
/// place MPI_IN_PLACE stands for the buffer that has no memory of its own: of rooted operations at
/// the root only, elsewhere the other argument is not looked at.
void set_buffers(const CollectiveCall& call, Arguments& arguments) {
    arguments.send = call.send;
    arguments.receive = call.receive;
    const bool is_root = arguments.rank == call.root;
    if (call.operation == Operation::broadcast) {
        if (is_root) arguments.receive = const_cast<void*>(call.send);
        return;
    }
    if (call.place == Place::out) return;
    const std::size_t own_bytes =
        static_cast<std::size_t>(arguments.rank) * call.count * arguments.element_bytes;
    switch (call.operation) {
        case Operation::scatter:
            if (is_root) arguments.receive = MPI_IN_PLACE;
            return;
        case Operation::gather:
            arguments.send =
                is_root ? MPI_IN_PLACE : static_cast<const std::byte*>(call.send) + own_bytes;
            return;
        case Operation::reduce:
            if (is_root) arguments.send = MPI_IN_PLACE;
            return;
        default: arguments.send = MPI_IN_PLACE;
    }
}

void set_counts(const CountMatrix& counts, Arguments& arguments) {
    const auto self = static_cast<std::size_t>(arguments.rank);
    const auto as_int = [](std::size_t elements) { return static_cast<int>(elements); };
    for (auto* const list : {&arguments.send_counts, &arguments.send_offsets,
                             &arguments.receive_counts, &arguments.receive_offsets})
        list->clear();
    for (std::size_t peer = 0; peer < counts.ranks(); ++peer) {
        arguments.send_counts.push_back(as_int(counts.count(self, peer)));
        arguments.send_offsets.push_back(as_int(counts.send_offset(self, peer)));
        arguments.receive_counts.push_back(as_int(counts.count(peer, self)));
        arguments.receive_offsets.push_back(as_int(counts.receive_offset(peer, self)));
    }
}

class MpiCollectives : public Collectives {
  public:
    explicit MpiCollectives(MPI_Comm comm) : comm_(Communicator::duplicate(comm)) {}

    std::string_view name() const override { return "mpi"; }
    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }

    std::string obstacle(const CollectiveCall& call) const override {
        if (call.reduce != ReduceOperation::none) {
            if (mpi_op(call.reduce) == MPI_OP_NULL)
                return fmt::format("MPI has no {}", to_text(call.reduce));
            if (!can_compute_with(call.type))
                return fmt::format("MPI-3 cannot compute with {}", to_text(call.type));
        }
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        const std::size_t count = largest_count(call);
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
        arguments_.rank = rank();
        arguments_.ranks = size();
        arguments_.element_bytes = size_of(call.type);
        set_buffers(call, arguments_);
        if (call.counts) set_counts(*call.counts, arguments_);
    }

    void launch() override { check_mpi(launch_.issue(arguments_), launch_.name); }
    void complete() override {}
    void close() override { comm_.close(); }

  private:
    /// MPI-3 counts are int. Reduce_scatter_block is judged by its whole vector, which Open MPI
    /// before 5 counts in an int too; the last step of a hypercube moves half of everything.
    std::size_t largest_count(const CollectiveCall& call) const {
        const auto ranks = static_cast<std::size_t>(size());
        if (call.operation == Operation::reduce_scatter) return call.count * ranks;
        if (call.operation == Operation::hypercube) return call.count * ((ranks + 1) / 2);
        return call.count;
    }

    Communicator comm_;
    Launch launch_{};
    Arguments arguments_;
};

}  // namespace

std::unique_ptr<Collectives> make_mpi_collectives(MPI_Comm comm) {
    return std::make_unique<MpiCollectives>(comm);
}

}  // namespace railgauge
