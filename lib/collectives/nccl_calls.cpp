// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl_calls.hpp"

#include <stdexcept>

namespace railgauge {
namespace {

ncclResult_t all_reduce(const NcclArguments& a) {
    return ncclAllReduce(a.send, a.receive, a.count, a.type, a.reduce, a.comm, a.stream);
}
ncclResult_t all_gather(const NcclArguments& a) {
    return ncclAllGather(a.send, a.receive, a.count, a.type, a.comm, a.stream);
}
ncclResult_t reduce_scatter(const NcclArguments& a) {
    return ncclReduceScatter(a.send, a.receive, a.count, a.type, a.reduce, a.comm, a.stream);
}
ncclResult_t broadcast(const NcclArguments& a) {
    return ncclBroadcast(a.send, a.receive, a.count, a.type, a.root, a.comm, a.stream);
}
ncclResult_t reduce(const NcclArguments& a) {
    return ncclReduce(a.send, a.receive, a.count, a.type, a.reduce, a.root, a.comm, a.stream);
}
ncclResult_t alltoall(const NcclArguments& a) {
    return ncclAlltoAll(a.send, a.receive, a.count, a.type, a.comm, a.stream);
}
ncclResult_t gather(const NcclArguments& a) {
    return ncclGather(a.send, a.receive, a.count, a.type, a.root, a.comm, a.stream);
}
ncclResult_t scatter(const NcclArguments& a) {
    return ncclScatter(a.send, a.receive, a.count, a.type, a.root, a.comm, a.stream);
}

/// The first result that is not ncclSuccess.
ncclResult_t worse(ncclResult_t a, ncclResult_t b) {
    return a == ncclSuccess ? b : a;
}

ncclResult_t alltoallv(const NcclArguments& a) {
    ncclResult_t result = ncclGroupStart();
    for (std::size_t peer = 0; peer < a.send_counts.size(); ++peer) {
        const int rank = static_cast<int>(peer);
        result = worse(result, ncclSend(a.send + a.send_offsets[peer], a.send_counts[peer], a.type,
                                        rank, a.comm, a.stream));
        result = worse(result, ncclRecv(a.receive + a.receive_offsets[peer], a.receive_counts[peer],
                                        a.type, rank, a.comm, a.stream));
    }
    return worse(result, ncclGroupEnd());
}

/// One message to a peer and one from another, at the same time.
ncclResult_t swap(const NcclArguments& a, const std::byte* send, int to, std::byte* receive,
                  int from, std::size_t count) {
    ncclResult_t result = ncclGroupStart();
    result = worse(result, ncclSend(send, count, a.type, to, a.comm, a.stream));
    result = worse(result, ncclRecv(receive, count, a.type, from, a.comm, a.stream));
    return worse(result, ncclGroupEnd());
}

ncclResult_t sendrecv(const NcclArguments& a) {
    const int next = (a.rank + 1) % a.ranks;
    const int previous = (a.rank + a.ranks - 1) % a.ranks;
    return swap(a, a.send, next, a.receive, previous, a.count);
}

/// As MPI's (mpi_calls.cpp): in step k each rank has 2^k pieces and swaps them.
ncclResult_t hypercube(const NcclArguments& a) {
    const std::size_t piece = a.count * a.element_bytes;
    std::byte* const own = a.receive + static_cast<std::size_t>(a.rank) * piece;
    if (a.send != own) {
        const cudaError_t copied =
            cudaMemcpyAsync(own, a.send, piece, cudaMemcpyDeviceToDevice, a.stream);
        if (copied != cudaSuccess) return ncclUnhandledCudaError;
    }
    for (int bit = 1; bit < a.ranks; bit <<= 1) {
        const int peer = a.rank ^ bit;
        const auto have = static_cast<std::size_t>(a.rank & ~(bit - 1));
        const auto want = static_cast<std::size_t>(peer & ~(bit - 1));
        const ncclResult_t result =
            swap(a, a.receive + have * piece, peer, a.receive + want * piece, peer,
                 static_cast<std::size_t>(bit) * a.count);
        if (result != ncclSuccess) return result;
    }
    return ncclSuccess;
}

/// In place NCCL recognises by the addresses: of what is smaller, it lies at the rank's place in
/// the larger.
void set_buffers(const CollectiveCall& call, NcclArguments& arguments) {
    arguments.send = static_cast<const std::byte*>(call.send);
    arguments.receive = static_cast<std::byte*>(call.receive);
    if (call.place == Place::out) return;
    const std::size_t own_bytes =
        static_cast<std::size_t>(arguments.rank) * call.count * arguments.element_bytes;
    switch (call.operation) {
        case Operation::all_gather:
        case Operation::gather:
        case Operation::hypercube: arguments.send += own_bytes; return;
        case Operation::reduce_scatter: arguments.receive += own_bytes; return;
        case Operation::scatter:
            if (arguments.rank == call.root) arguments.receive += own_bytes;
            return;
        default: return;
    }
}

void set_counts(const CountMatrix& counts, NcclArguments& arguments) {
    const auto self = static_cast<std::size_t>(arguments.rank);
    for (std::size_t peer = 0; peer < counts.ranks(); ++peer) {
        arguments.send_counts.push_back(counts.count(self, peer));
        arguments.send_offsets.push_back(counts.send_offset(self, peer) * arguments.element_bytes);
        arguments.receive_counts.push_back(counts.count(peer, self));
        arguments.receive_offsets.push_back(counts.receive_offset(peer, self) *
                                            arguments.element_bytes);
    }
}

}  // namespace

ncclDataType_t nccl_type(DataType type) {
    switch (type) {
        case DataType::int8: return ncclInt8;
        case DataType::bytes:
        case DataType::uint8: return ncclUint8;
        case DataType::int32: return ncclInt32;
        case DataType::uint32: return ncclUint32;
        case DataType::int64: return ncclInt64;
        case DataType::uint64: return ncclUint64;
        case DataType::float16: return ncclFloat16;
        case DataType::bfloat16: return ncclBfloat16;
        case DataType::float32: return ncclFloat32;
        case DataType::float64: return ncclFloat64;
        case DataType::float8e4m3: return ncclFloat8e4m3;
        case DataType::float8e5m2: return ncclFloat8e5m2;
    }
    throw std::logic_error("a data type has no NCCL type");
}

ncclRedOp_t nccl_op(ReduceOperation reduce) {
    switch (reduce) {
        case ReduceOperation::prod: return ncclProd;
        case ReduceOperation::min: return ncclMin;
        case ReduceOperation::max: return ncclMax;
        case ReduceOperation::avg: return ncclAvg;
        case ReduceOperation::none:
        case ReduceOperation::sum:
        case ReduceOperation::mulsum: return ncclSum;
    }
    throw std::logic_error("a reduction has no NCCL operation");
}

NcclArguments nccl_arguments(const CollectiveCall& call, int rank, int ranks) {
    NcclArguments arguments;
    arguments.count = call.count;
    arguments.type = nccl_type(call.type);
    arguments.reduce = nccl_op(call.reduce);
    arguments.root = call.root;
    arguments.rank = rank;
    arguments.ranks = ranks;
    arguments.element_bytes = size_of(call.type);
    set_buffers(call, arguments);
    if (call.counts) set_counts(*call.counts, arguments);
    return arguments;
}

NcclLaunch nccl_launch_of(Operation operation) {
    switch (operation) {
        case Operation::all_reduce: return {&all_reduce, "ncclAllReduce"};
        case Operation::all_gather: return {&all_gather, "ncclAllGather"};
        case Operation::reduce_scatter: return {&reduce_scatter, "ncclReduceScatter"};
        case Operation::broadcast: return {&broadcast, "ncclBroadcast"};
        case Operation::reduce: return {&reduce, "ncclReduce"};
        case Operation::alltoall: return {&alltoall, "ncclAlltoAll"};
        case Operation::alltoallv: return {&alltoallv, "ncclSend and ncclRecv of an alltoallv"};
        case Operation::gather: return {&gather, "ncclGather"};
        case Operation::scatter: return {&scatter, "ncclScatter"};
        case Operation::sendrecv: return {&sendrecv, "ncclSend and ncclRecv"};
        case Operation::hypercube:
            return {&hypercube, "ncclSend and ncclRecv of a hypercube", true};
    }
    throw std::logic_error("an operation has no NCCL launch");
}

}  // namespace railgauge
