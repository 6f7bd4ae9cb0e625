// SPDX-License-Identifier: Apache-2.0
#include "nccl/check.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "nccl/live.hpp"

namespace railgauge {
namespace {

/// What NCCL says of an error: its class, and the last warning of the library if there is one.
std::string describe(ncclResult_t result, ncclComm_t comm) {
    const char* detail = ncclGetLastError(comm);
    std::string text = ncclGetErrorString(result);
    if (detail == nullptr || *detail == '\0') return text;
    return one_line(fmt::format("{}: {}", text, detail));
}

}  // namespace

void throw_nccl_error(ncclResult_t result, const char* doing, ncclComm_t comm) {
    // The watchdog has said why the process ends, and is about to end it.
    constexpr std::chrono::seconds end_of_process{10};
    if (live_communicators().is_abandoned()) std::this_thread::sleep_for(end_of_process);
    throw Error(ExitCode::library, fmt::format("{} failed", doing),
                fmt::format("NCCL says: {}", describe(result, comm)),
                "start again with NCCL_DEBUG=INFO to see why");
}

void log_nccl_error(ncclResult_t result, const char* doing) noexcept {
    if (result == ncclSuccess || result == ncclInProgress) return;
    if (live_communicators().is_abandoned()) return;  // fails because of that
    log_here("{} failed: {}", doing, ncclGetErrorString(result));
}

}  // namespace railgauge
