// SPDX-License-Identifier: Apache-2.0
#include "nccl/live.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "nccl/check.hpp"

namespace railgauge {

void LiveCommunicators::add(ncclComm_t comm, Kind kind) {
    const std::lock_guard lock(mutex_);
    entries_.push_back({comm, kind});
}

bool LiveCommunicators::remove(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(entries_, [comm](const Entry& entry) { return entry.comm == comm; }) > 0;
}

bool LiveCommunicators::contains(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    return std::any_of(entries_.begin(), entries_.end(),
                       [comm](const Entry& entry) { return entry.comm == comm; });
}

ncclResult_t LiveCommunicators::state_of(ncclComm_t comm) {
    ncclResult_t state = ncclSuccess;
    {
        const std::lock_guard lock(mutex_);
        const bool is_here = std::any_of(entries_.begin(), entries_.end(),
                                         [comm](const Entry& entry) { return entry.comm == comm; });
        if (is_here) {
            check_nccl(ncclCommGetAsyncError(comm, &state), "asking for a communicator's state");
            return state;
        }
    }
    wait_for_end_of_process();
    return ncclSystemError;
}

void LiveCommunicators::wait_for_end_of_process() {
    constexpr std::chrono::seconds enough{10};
    std::this_thread::sleep_for(enough);
}

ncclResult_t LiveCommunicators::error() {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
        ncclResult_t error = ncclSuccess;
        if (entry.kind == Kind::root) continue;
        if (ncclCommGetAsyncError(entry.comm, &error) == ncclSuccess && error != ncclSuccess)
            return error;
    }
    return ncclSuccess;
}

void LiveCommunicators::abort_all() noexcept {
    is_abandoned_ = true;
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
        log_nccl_error(ncclCommAbort(entry->comm), "aborting a communicator");
    entries_.clear();
}

LiveCommunicators& live_communicators() {
    static LiveCommunicators communicators;
    return communicators;
}

}  // namespace railgauge
