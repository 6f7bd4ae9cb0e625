// SPDX-License-Identifier: Apache-2.0
#include "nccl/buffer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cuda/clear.hpp"
#include "nccl/check.hpp"
#include "nccl/live.hpp"

namespace railgauge {
namespace {

/// Windows begin and end at multiples of this.
constexpr std::size_t granularity = NCCL_WIN_REQUIRED_ALIGNMENT;

std::size_t whole(std::size_t size) {
    return std::max<std::size_t>(1, (size + granularity - 1) / granularity) * granularity;
}

void free_memory(void* data) noexcept {
    if (data != nullptr) log_nccl_error(ncclMemFree(data), "freeing NCCL's memory");
}

/// Of `size` bytes that are present and zero; freed if the caller throws.
Buffer allocate(std::size_t size) {
    void* data = nullptr;
    check_nccl(ncclMemAlloc(&data, size), "allocating memory by NCCL");
    Buffer buffer(data, size, &free_memory);
    clear_gpu_memory(data, size);
    return buffer;
}

}  // namespace

Buffer allocate_registered(ncclComm_t comm, std::size_t size) {
    Buffer memory = allocate(whole(size));
    void* handle = nullptr;
    check_nccl(ncclCommRegister(comm, memory.data(), memory.size(), &handle),
               "registering a buffer", comm);
    return {memory.release(), size, [comm, handle](void* data) {
                if (live_communicators().contains(comm))
                    log_nccl_error(ncclCommDeregister(comm, handle), "deregistering a buffer");
                free_memory(data);
            }};
}

Buffer allocate_symmetric(ncclComm_t comm, std::size_t size) {
    Buffer memory = allocate(whole(size));
    ncclWindow_t window = nullptr;
    check_nccl(ncclCommWindowRegister(comm, memory.data(), memory.size(), &window,
                                      NCCL_WIN_COLL_SYMMETRIC),
               "registering a symmetric window", comm);
    if (window == nullptr) {  // no error to NCCL: it would use the memory as any other
        throw Error(ExitCode::usage, "there is no symmetric memory here",
                    "NCCL gave no window for the buffer", "use --buffers plain or registered");
    }
    return {memory.release(), size, [comm, window](void* data) {
                if (live_communicators().contains(comm))
                    log_nccl_error(ncclCommWindowDeregister(comm, window),
                                   "deregistering a window");
                free_memory(data);
            }};
}

}  // namespace railgauge
