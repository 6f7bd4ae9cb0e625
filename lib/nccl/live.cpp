// SPDX-License-Identifier: Apache-2.0
#include "nccl/live.hpp"

#include <algorithm>

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
