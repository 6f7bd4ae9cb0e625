// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <thread>

#include "gpu_double.hpp"

using gpu_double::OperationPointer;

std::shared_ptr<CUstream_st> CUstream_st::start(int device, Kind kind, int priority) {
    std::shared_ptr<CUstream_st> stream(new CUstream_st(device, kind, priority));
    // The thread owns the stream too: destroying a stream does not wait for its work.
    std::thread([stream] { stream->work(); }).detach();
    return stream;
}

void CUstream_st::submit(OperationPointer operation) {
    if (is_capturing()) {
        capture_->operations.push_back(std::move(operation));
        return;
    }
    operation->submitted();
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(operation));
    ++tickets_;
    arrived_.notify_one();
}

OperationPointer CUstream_st::next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return nullptr;
    auto operation = std::move(queue_.front());
    queue_.pop_front();
    return operation;
}

void CUstream_st::work() {
    while (auto operation = next()) {
        operation->run();
        operation.reset();
        const std::scoped_lock lock(mutex_);
        ++done_;
        ran_.notify_all();
    }
}

std::uint64_t CUstream_st::last_ticket() const {
    const std::scoped_lock lock(mutex_);
    return tickets_;
}

void CUstream_st::wait_for(std::uint64_t ticket) const {
    std::unique_lock lock(mutex_);
    ran_.wait(lock, [this, ticket] { return done_ >= ticket; });
}

bool CUstream_st::is_idle() const {
    const std::scoped_lock lock(mutex_);
    return done_ == tickets_;
}

void CUstream_st::close() {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    arrived_.notify_one();
}
