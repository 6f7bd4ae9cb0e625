// SPDX-License-Identifier: Apache-2.0
// Making communicators: from an id, or from another communicator.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <nccl.h>
#include <unistd.h>

#include "errors.hpp"
#include "group.hpp"

using namespace gpu_double;

namespace {

constexpr std::size_t communicator_bytes = std::size_t{16} << 20;
constexpr std::size_t sharing_communicator_bytes = std::size_t{1} << 20;

Blocking blocking_of(const ncclConfig_t* config, Blocking otherwise) {
    if (config == nullptr || config->blocking == NCCL_CONFIG_UNDEF_INT) return otherwise;
    return config->blocking == 0 ? Blocking::no : Blocking::yes;
}

ncclResult_t check(const ncclConfig_t* config) {
    const ncclConfig_t expected = NCCL_CONFIG_INITIALIZER;
    if (config == nullptr || config->magic == expected.magic) return ncclSuccess;
    return fail(ncclInvalidArgument, "the config was not initialised by NCCL_CONFIG_INITIALIZER");
}

ncclResult_t connect(ncclComm& communicator) {
    const ncclResult_t result = communicator.connect();
    communicator.set_state(result);
    return result;
}

int current_device() {
    int device = 0;
    cudaGetDevice(&device);
    return device;
}

ncclResult_t init(ncclComm_t* out, int ranks, const ncclUniqueId& id, int rank,
                  const ncclConfig_t* config) {
    if (out == nullptr || ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks)
        return refuse(fail(ncclInvalidArgument, "no such rank or number of ranks"));
    if (id.internal[0] != '/')
        return refuse(fail(ncclInvalidArgument, "not an id of the double's ncclGetUniqueId"));
    if (const auto error = check(config); error != ncclSuccess) return refuse(error);
    const Blocking blocking = blocking_of(config, Blocking::yes);
    auto communicator = std::make_shared<ncclComm>(Identity{
        id.internal, rank, ranks, current_device(), blocking, Family::world, communicator_bytes});
    *out = communicators().add(communicator);
    return issue(SetUp{communicator.get(), [communicator] { return connect(*communicator); },
                       blocking, [] {}});
}

CommunicatorPointer make_child(const ncclComm& parent, const ncclConfig_t* config,
                               Blocking blocking) {
    const bool shares = config != nullptr && config->splitShare == 1;
    Identity identity = parent.identity();
    identity.blocking = blocking;
    identity.family = Family::split;
    identity.device_bytes = shares ? sharing_communicator_bytes : communicator_bytes;
    return std::make_shared<ncclComm>(identity);
}

// The child's place is known only after all ranks of the parent have met.
ncclResult_t split(ncclComm& parent, const CommunicatorPointer& child, int color, int key) {
    ncclComm::Membership membership{};
    auto result = parent.agree_on_split(color, key, membership);
    parent.set_state(result);
    if (child == nullptr) return result;
    if (result == ncclSuccess) {
        child->become(membership);
        result = child->connect();
    }
    child->set_state(result);
    return result;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    static std::atomic<unsigned> ids{0};
    if (id == nullptr) return ncclInvalidArgument;
    *id = {};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::snprintf(id->internal, sizeof id->internal, "/railgauge-double.%d.%lld.%u", getpid(),
                  static_cast<long long>(now), ids++);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    return init(comm, ranks, id, rank, config);
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
    return init(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int ids_count,
                                      ncclUniqueId* ids, ncclConfig_t* config) {
    if (ids == nullptr || ids_count < 1 || ids_count > ranks)
        return refuse(fail(ncclInvalidArgument, "no such number of ids"));
    return init(comm, ranks, ids[0], rank, config);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices, const int* list) {
    const int before = current_device();
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int rank = 0; rank < devices; ++rank) {
        cudaSetDevice(list != nullptr ? list[rank] : rank);
        init(&comms[rank], devices, id, rank, nullptr);
    }
    cudaSetDevice(before);
    return ncclGroupEnd();
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* out,
                           ncclConfig_t* config) {
    ncclResult_t error = ncclSuccess;
    const auto parent = usable(comm, error);
    if (!parent) return refuse(error);
    if (out == nullptr || color < NCCL_SPLIT_NOCOLOR)
        return refuse(
            fail(ncclInvalidArgument, "ncclCommSplit: no such color, or nowhere to put it"));
    if (error = check(config); error != ncclSuccess) return refuse(error);
    const Blocking blocking = blocking_of(config, parent->identity().blocking);
    const auto child =
        color == NCCL_SPLIT_NOCOLOR ? nullptr : make_child(*parent, config, blocking);
    *out = child ? communicators().add(child) : nullptr;
    return issue(SetUp{parent.get(), [=] { return split(*parent, child, color, key); }, blocking,
                       [parent] { parent->set_state(ncclInProgress); }});
}
}
