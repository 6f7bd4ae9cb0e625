// SPDX-License-Identifier: Apache-2.0
// A stream is a thread that runs operations in the order they came, or records them while
// capturing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

namespace gpu_double {

class Operation {
  public:
    virtual ~Operation() = default;
    // By the host thread, each time the operation enters a stream: a graph's does at every launch.
    virtual void submitted() {}
    virtual void run() = 0;
};
using OperationPointer = std::shared_ptr<Operation>;

// What streams record between the begin and the end of a capture, in order.
struct Capture {
    std::vector<OperationPointer> operations;
    CUstream_st* origin = nullptr;
    bool open = true;
};

}  // namespace gpu_double

struct CUstream_st : std::enable_shared_from_this<CUstream_st> {
  public:
    // Streams of `blocking` kind and the legacy default stream wait for each other.
    enum class Kind { legacy, blocking, independent };

    static std::shared_ptr<CUstream_st> start(int device, Kind kind, int priority);

    void submit(gpu_double::OperationPointer operation);
    // Number of the last operation that entered; wait_for() returns when it has run.
    std::uint64_t last_ticket() const;
    void wait_for(std::uint64_t ticket) const;
    void synchronize() const { wait_for(last_ticket()); }
    bool is_idle() const;
    // What is queued still runs.
    void close();

    bool is_capturing() const { return capture_ && capture_->open; }
    const std::shared_ptr<gpu_double::Capture>& capture() const { return capture_; }
    void join(std::shared_ptr<gpu_double::Capture> capture) { capture_ = std::move(capture); }

    int device() const { return device_; }
    Kind kind() const { return kind_; }
    int priority() const { return priority_; }

  private:
    CUstream_st(int device, Kind kind, int priority)
        : device_(device), kind_(kind), priority_(priority) {}
    void work();
    gpu_double::OperationPointer next();

    const int device_;
    const Kind kind_;
    const int priority_;
    std::shared_ptr<gpu_double::Capture> capture_;

    mutable std::mutex mutex_;
    mutable std::condition_variable arrived_;
    mutable std::condition_variable ran_;
    std::deque<gpu_double::OperationPointer> queue_;
    std::uint64_t tickets_ = 0;
    std::uint64_t done_ = 0;
    bool closing_ = false;
};
