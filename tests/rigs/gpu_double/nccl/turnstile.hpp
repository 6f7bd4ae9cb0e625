// SPDX-License-Identifier: Apache-2.0
// A communicator's operations run in the order they were issued, whatever streams they are in.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gpu_double {

class Turnstile {
  public:
    std::uint64_t take_ticket() {
        const std::scoped_lock lock(mutex_);
        return tickets_++;
    }
    void wait_for_turn(std::uint64_t ticket) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this, ticket] { return closed_ || turn_ >= ticket; });
    }
    void pass() {
        const std::scoped_lock lock(mutex_);
        ++turn_;
        changed_.notify_all();
    }
    void wait_until_idle() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || turn_ == tickets_; });
    }
    // Nobody waits any more.
    void close() {
        const std::scoped_lock lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t tickets_ = 0;
    std::uint64_t turn_ = 0;
    bool closed_ = false;
};

}  // namespace gpu_double
