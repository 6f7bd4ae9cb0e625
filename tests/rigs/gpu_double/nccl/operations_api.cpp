// SPDX-License-Identifier: Apache-2.0
// The communication calls: each says what it is; validation, grouping and running are the same for
// all.
#include <nccl.h>

#include "collective.hpp"
#include "errors.hpp"
#include "group.hpp"
#include "point_to_point.hpp"

using namespace gpu_double;

namespace {

template <class What>
ncclResult_t call(const What& what, ncclComm_t handle, cudaStream_t stream) {
    ncclResult_t error = ncclSuccess;
    const auto communicator = usable(handle, error);
    if (!communicator) return refuse(error);
    if (communicator->finalized())
        return refuse(fail(ncclInvalidUsage, "the communicator was finalized"));
    error = validate(what, *communicator);
    return error != ncclSuccess ? refuse(error) : issue(communicator, what, stream);
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::all_reduce, send, receive, count, type, operation}, comm,
                stream);
}

ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::reduce, send, receive, count, type, operation, root},
                comm, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::broadcast, send, receive, count, type, ncclSum, root},
                comm, stream);
}

ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::all_gather, send, receive, count, type}, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::reduce_scatter, send, receive, count, type, operation},
                comm, stream);
}

ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::all_to_all, send, receive, count, type}, comm, stream);
}

ncclResult_t ncclGather(const void* send, void* receive, size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::gather, send, receive, count, type, ncclSum, root}, comm,
                stream);
}

ncclResult_t ncclScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
    return call(Collective{CollectiveKind::scatter, send, receive, count, type, ncclSum, root},
                comm, stream);
}

ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    return call(Message{Direction::send, const_cast<void*>(send), count, type, peer}, comm, stream);
}

ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return call(Message{Direction::receive, receive, count, type, peer}, comm, stream);
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
    ncclResult_t error = ncclSuccess;
    const auto communicator = usable(comm, error);
    if (!communicator) return error;
    if (type < 0 || type >= ncclNumTypes || scalar == nullptr)
        return fail(ncclInvalidArgument, "ncclRedOpCreatePreMulSum: no such type or no scalar");
    PreMulSum sum{type, static_cast<const void*>(scalar)};
    if (residence == ncclScalarHostImmediate) {
        Scalar factor{};
        std::copy_n(static_cast<const std::byte*>(scalar), element_bytes(type), factor.begin());
        sum.factor = factor;
    }
    *operation = communicator->add_operation(sum);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t comm) {
    const auto communicator = communicators().find(comm);
    const bool removed = communicator && communicator->remove_operation(operation);
    return removed ? ncclSuccess : fail(ncclInvalidArgument, "ncclRedOpDestroy: no such operation");
}
}
