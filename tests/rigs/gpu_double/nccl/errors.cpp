// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace gpu_double {
namespace {

// A caller keeps the pointer to it, so it never moves.
std::array<char, 1024> last_problem{};
std::mutex last_problem_mutex;

}  // namespace

ncclResult_t fail(ncclResult_t result, const std::string& problem) {
    const std::scoped_lock lock(last_problem_mutex);
    std::snprintf(last_problem.data(), last_problem.size(), "%s", problem.c_str());
    if (std::getenv("NCCL_DEBUG") != nullptr)
        std::fprintf(stderr, "GPU double: NCCL WARN %s\n", problem.c_str());
    return result;
}

}  // namespace gpu_double

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess: return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
        case ncclSystemError:
            return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
        case ncclInternalError: return "internal error";
        case ncclInvalidArgument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case ncclInvalidUsage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        case ncclRemoteError: return "remote process exited or there was a network error";
        case ncclInProgress: return "NCCL operation in progress";
        default: return "unknown result code";
    }
}

const char* ncclGetLastError(ncclComm_t) {
    return gpu_double::last_problem.data();
}

ncclResult_t ncclGetVersion(int* version) {
    if (version == nullptr) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}
}
