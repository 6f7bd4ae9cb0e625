// SPDX-License-Identifier: Apache-2.0
#include "record/write_guard.hpp"

#include <chrono>
#include <mutex>

namespace railgauge {
namespace {

std::timed_mutex& writing() {
    // Never destroyed: a watchdog may ask while the process' statics are being destroyed.
    static auto* mutex = new std::timed_mutex;
    return *mutex;
}

}  // namespace

WriteGuard::WriteGuard() {
    writing().lock();
}

WriteGuard::~WriteGuard() {
    writing().unlock();
}

bool stop_writing(int wait_ms) {
    return writing().try_lock_for(std::chrono::milliseconds(wait_ms));
}

}  // namespace railgauge
