// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "measure/clock.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// A channel that looks up now and then while nothing comes: whoever waits in it for a peer outside
/// the job learns by other ways that it has gone.
class WatchedChannel : public Channel {
  public:
    /// Given the time in ns for which nothing has come. Throws to end the wait.
    using Look = std::function<void(std::int64_t idle_ns)>;

    WatchedChannel(std::unique_ptr<Channel> channel, Look look)
        : channel_(std::move(channel)), look_(std::move(look)), last_ns_(monotonic_now_ns()) {}

    void post(const Message& message) override { channel_->post(message); }

    std::span<const Completion> poll() override {
        const std::span<const Completion> finished = polled();
        if (!finished.empty()) {
            empty_polls_ = 0;
            has_moved_ = true;
        } else if (++empty_polls_ == polls_per_look) {
            look();
        }
        return finished;
    }

    void close() override { channel_->close(); }
    std::string path() const override { return channel_->path(); }

  private:
    static constexpr int polls_per_look = 2048;

    /// Why a connection breaks is often known better by the other way.
    std::span<const Completion> polled() {
        try {
            return channel_->poll();
        } catch (const Error&) {
            look();
            throw;
        }
    }

    void look() {
        empty_polls_ = 0;
        const std::int64_t now_ns = monotonic_now_ns();
        if (std::exchange(has_moved_, false)) last_ns_ = now_ns;
        look_(now_ns - last_ns_);
    }

    std::unique_ptr<Channel> channel_;
    Look look_;
    int empty_polls_ = 0;
    bool has_moved_ = false;
    std::int64_t last_ns_;
};

}  // namespace railgauge
