// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

void CUevent_st::entered() {
    const std::scoped_lock lock(mutex_);
    ++entered_;
}

void CUevent_st::passed() {
    const auto now = std::chrono::steady_clock::now();
    const std::scoped_lock lock(mutex_);
    ++passed_;
    time_ = now;
    changed_.notify_all();
}

bool CUevent_st::is_ready() const {
    const std::scoped_lock lock(mutex_);
    return passed_ >= entered_;
}

std::uint64_t CUevent_st::records() const {
    const std::scoped_lock lock(mutex_);
    return entered_;
}

void CUevent_st::wait_for(std::uint64_t record) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, record] { return passed_ >= record; });
}

CUevent_st::TimePoint CUevent_st::time() const {
    const std::scoped_lock lock(mutex_);
    return time_;
}
