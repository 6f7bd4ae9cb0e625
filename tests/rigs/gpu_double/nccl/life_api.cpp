// SPDX-License-Identifier: Apache-2.0
// What a communicator answers, and how it ends.
#include <thread>

#include <nccl.h>

#include "communicator.hpp"
#include "errors.hpp"

using namespace gpu_double;

namespace {

ncclResult_t flush(ncclComm& communicator) {
    communicator.turnstile().wait_until_idle();
    return communicator.state();
}

template <class Question>
ncclResult_t answer(ncclComm_t comm, int* value, Question question) {
    ncclResult_t error = ncclSuccess;
    const auto communicator = usable(comm, error);
    if (!communicator) return error;
    if (value == nullptr) return fail(ncclInvalidArgument, "nowhere to put the answer");
    *value = question(communicator->identity());
    return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    ncclResult_t error = ncclSuccess;
    const auto communicator = usable(comm, error);
    if (!communicator) return error;
    if (communicator->finalized()) return fail(ncclInvalidUsage, "finalized twice");
    communicator->finalize();
    if (communicator->identity().blocking == Blocking::yes) return flush(*communicator);
    communicator->set_state(ncclInProgress);
    std::thread([communicator] {
        communicator->turnstile().wait_until_idle();
        communicator->finish_progress();
    }).detach();
    return ncclInProgress;
}

// Waits for operations under way, so it hangs with them; ncclCommAbort does not.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (comm == nullptr) return ncclSuccess;
    const auto communicator = communicators().remove(comm);
    if (!communicator) return fail(ncclInvalidArgument, "not a communicator");
    communicator->turnstile().wait_until_idle();
    communicator->stop();
    return ncclSuccess;
}

// Does not wait: what still runs for the communicator keeps it alive and sees that it was stopped.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    if (comm == nullptr) return ncclSuccess;
    const auto communicator = communicators().remove(comm);
    if (!communicator) return fail(ncclInvalidArgument, "not a communicator");
    communicator->stop();
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    const auto communicator = communicators().find(comm);
    if (!communicator || error == nullptr) return fail(ncclInvalidArgument, "not a communicator");
    *error = communicator->state();
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
    return answer(comm, count, [](const Identity& identity) { return identity.ranks; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
    return answer(comm, rank, [](const Identity& identity) { return identity.rank; });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
    return answer(comm, device, [](const Identity& identity) { return identity.device; });
}
}
