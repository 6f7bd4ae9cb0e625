// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_calls.hpp"

#include <cstring>
#include <stdexcept>

namespace railgauge {
namespace {

int all_reduce(const MpiArguments& a) {
    return MPI_Allreduce(a.send, a.receive, a.count, a.type, a.reduce, a.comm);
}
int all_gather(const MpiArguments& a) {
    return MPI_Allgather(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}
int reduce_scatter(const MpiArguments& a) {
    return MPI_Reduce_scatter_block(a.send, a.receive, a.count, a.type, a.reduce, a.comm);
}
int broadcast(const MpiArguments& a) {
    return MPI_Bcast(a.receive, a.count, a.type, a.root, a.comm);
}
int reduce(const MpiArguments& a) {
    return MPI_Reduce(a.send, a.receive, a.count, a.type, a.reduce, a.root, a.comm);
}
int alltoall(const MpiArguments& a) {
    return MPI_Alltoall(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}
int alltoallv(const MpiArguments& a) {
    return MPI_Alltoallv(a.send, a.send_counts.data(), a.send_offsets.data(), a.type, a.receive,
                         a.receive_counts.data(), a.receive_offsets.data(), a.type, a.comm);
}
int gather(const MpiArguments& a) {
    return MPI_Gather(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}
int scatter(const MpiArguments& a) {
    return MPI_Scatter(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}

constexpr int tag = 0;

int sendrecv(const MpiArguments& a) {
    const int next = (a.rank + 1) % a.ranks;
    const int previous = (a.rank + a.ranks - 1) % a.ranks;
    return MPI_Sendrecv(a.send, a.count, a.type, next, tag, a.receive, a.count, a.type, previous,
                        tag, a.comm, MPI_STATUS_IGNORE);
}

/// An all-gather along the edges of a hypercube: in step k each rank has 2^k pieces and swaps them
/// with the rank whose number differs in bit k. nccl-tests has the same operation.
int hypercube(const MpiArguments& a) {
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

// The same, only started. What is not set stays MPI_REQUEST_NULL.
int start_all_reduce(const MpiArguments& a, MPI_Request* r) {
    return MPI_Iallreduce(a.send, a.receive, a.count, a.type, a.reduce, a.comm, r);
}
int start_all_gather(const MpiArguments& a, MPI_Request* r) {
    return MPI_Iallgather(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm, r);
}
int start_reduce_scatter(const MpiArguments& a, MPI_Request* r) {
    return MPI_Ireduce_scatter_block(a.send, a.receive, a.count, a.type, a.reduce, a.comm, r);
}
int start_broadcast(const MpiArguments& a, MPI_Request* r) {
    return MPI_Ibcast(a.receive, a.count, a.type, a.root, a.comm, r);
}
int start_reduce(const MpiArguments& a, MPI_Request* r) {
    return MPI_Ireduce(a.send, a.receive, a.count, a.type, a.reduce, a.root, a.comm, r);
}
int start_alltoall(const MpiArguments& a, MPI_Request* r) {
    return MPI_Ialltoall(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm, r);
}
int start_alltoallv(const MpiArguments& a, MPI_Request* r) {
    return MPI_Ialltoallv(a.send, a.send_counts.data(), a.send_offsets.data(), a.type, a.receive,
                          a.receive_counts.data(), a.receive_offsets.data(), a.type, a.comm, r);
}
int start_gather(const MpiArguments& a, MPI_Request* r) {
    return MPI_Igather(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm, r);
}
int start_scatter(const MpiArguments& a, MPI_Request* r) {
    return MPI_Iscatter(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm, r);
}
int start_sendrecv(const MpiArguments& a, MPI_Request* r) {
    const int next = (a.rank + 1) % a.ranks;
    const int previous = (a.rank + a.ranks - 1) % a.ranks;
    const int status = MPI_Irecv(a.receive, a.count, a.type, previous, tag, a.comm, &r[0]);
    if (status != MPI_SUCCESS) return status;
    return MPI_Isend(a.send, a.count, a.type, next, tag, a.comm, &r[1]);
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

/// The buffer arguments as MPI wants them. MPI_Bcast has one buffer (the root's is its input). In
/// place MPI_IN_PLACE stands for the buffer that has no memory of its own: of rooted operations at
/// the root only, elsewhere the other argument is not looked at.
void set_buffers(const CollectiveCall& call, MpiArguments& arguments) {
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

void set_counts(const CountMatrix& counts, MpiArguments& arguments) {
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

}  // namespace

MPI_Op mpi_op(ReduceOperation reduce) {
    switch (reduce) {
        case ReduceOperation::sum: return MPI_SUM;
        case ReduceOperation::prod: return MPI_PROD;
        case ReduceOperation::min: return MPI_MIN;
        case ReduceOperation::max: return MPI_MAX;
        default: return MPI_OP_NULL;
    }
}

MpiArguments mpi_arguments(const CollectiveCall& call, MPI_Comm comm, int rank, int ranks) {
    MpiArguments arguments;
    arguments.count = static_cast<int>(call.count);
    arguments.type = mpi_type(call.type);
    arguments.reduce = mpi_op(call.reduce);
    arguments.root = call.root;
    arguments.comm = comm;
    arguments.rank = rank;
    arguments.ranks = ranks;
    arguments.element_bytes = size_of(call.type);
    set_buffers(call, arguments);
    if (call.counts) set_counts(*call.counts, arguments);
    return arguments;
}

MpiLaunch mpi_launch_of(Operation operation) {
    switch (operation) {
        case Operation::all_reduce: return {&all_reduce, &start_all_reduce, "MPI_Allreduce"};
        case Operation::all_gather: return {&all_gather, &start_all_gather, "MPI_Allgather"};
        case Operation::reduce_scatter:
            return {&reduce_scatter, &start_reduce_scatter, "MPI_Reduce_scatter_block"};
        case Operation::broadcast: return {&broadcast, &start_broadcast, "MPI_Bcast"};
        case Operation::reduce: return {&reduce, &start_reduce, "MPI_Reduce"};
        case Operation::alltoall: return {&alltoall, &start_alltoall, "MPI_Alltoall"};
        case Operation::alltoallv: return {&alltoallv, &start_alltoallv, "MPI_Alltoallv"};
        case Operation::gather: return {&gather, &start_gather, "MPI_Gather"};
        case Operation::scatter: return {&scatter, &start_scatter, "MPI_Scatter"};
        case Operation::sendrecv: return {&sendrecv, &start_sendrecv, "MPI_Sendrecv"};
        case Operation::hypercube: return {&hypercube, nullptr, "MPI_Sendrecv of a hypercube"};
    }
    throw std::logic_error("an operation has no MPI launch");
}

}  // namespace railgauge
