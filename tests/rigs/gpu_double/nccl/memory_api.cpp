// SPDX-License-Identifier: Apache-2.0
// NCCL's own allocations, registered buffers and windows. Registering changes nothing but is
// checked.
#include <cstdlib>

#include <nccl.h>

#include "communicator.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"

using namespace gpu_double;

namespace {

ncclResult_t add(ncclComm_t comm, void* buffer, size_t bytes, void** handle) {
    ncclResult_t error = ncclSuccess;
    const auto communicator = usable(comm, error);
    if (!communicator) return error;
    if (handle == nullptr || bytes == 0 || gpu_double_find(buffer, bytes) == nullptr)
        return fail(ncclInvalidArgument, "the buffer to register is not all device memory");
    *handle = communicator->add_registration(buffer);
    return ncclSuccess;
}

ncclResult_t remove(ncclComm_t comm, void* handle) {
    const auto communicator = communicators().find(comm);
    const bool removed = communicator && communicator->remove_registration(handle);
    return removed ? ncclSuccess : fail(ncclInvalidArgument, "the buffer is not registered");
}

}  // namespace

extern "C" {

ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
    if (cudaMalloc(pointer, bytes) == cudaSuccess) return ncclSuccess;
    return fail(ncclUnhandledCudaError, "out of device memory");
}

ncclResult_t ncclMemFree(void* pointer) {
    if (cudaFree(pointer) == cudaSuccess) return ncclSuccess;
    return fail(ncclUnhandledCudaError, "not memory of ncclMemAlloc");
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buffer, size_t bytes, void** handle) {
    return add(comm, buffer, bytes, handle);
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
    return remove(comm, handle);
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, size_t bytes,
                                    ncclWindow_t* window, int) {
    if (window == nullptr) return fail(ncclInvalidArgument, "nowhere to put the window");
    *window = nullptr;
    // Where GPUs cannot have symmetric memory the real library says nothing and gives no window.
    if (std::getenv("RAILGAUGE_DOUBLE_NO_WINDOWS") != nullptr) return ncclSuccess;
    void* handle = nullptr;
    const auto result = add(comm, buffer, bytes, &handle);
    *window = reinterpret_cast<ncclWindow_t>(handle);
    return result;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
    return remove(comm, window);
}
}
