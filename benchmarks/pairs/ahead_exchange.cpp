// SPDX-License-Identifier: Apache-2.0
#include "pairs/ahead_exchange.hpp"

#include "measure/clock.hpp"
#include "pairs/ahead_base.hpp"

namespace railgauge {
namespace {

/// A window of messages, sent or written, in one direction or both. The receiver confirms it;
/// windows launched in a row share that confirmation.
class ConfirmedWindow : public AheadExchange {
  public:
    ConfirmedWindow(const PairCall& call, Duty duty, Channel& channel)
        : AheadExchange(call, channel), sends_(sends(duty)), receives_(receives(duty)) {
        if (receives_) expect_payload(call.messages(), call.queues);
    }

    void launch() override {
        if (++launched_ > 1) {
            if (sends_) post_later(1);
            return;
        }
        first_launch_ns_ = monotonic_now_ns();
        for (int slot = 0; sends_ && slot < slots().messages; ++slot)
            post(slot);
    }

    void complete() override {
        wait_for_posts();
        for (int queue = 0; sends_ && is_written() && queue < call().queues; ++queue)
            notify(queue);
        if (receives_) {
            // What is sent is counted message by message; what is written by a notice per queue.
            arrivals_ += is_written() ? call().queues : launched_ * slots().messages;
            wait_for_arrivals(arrivals_);
            tell();
        }
        if (sends_) {
            hear();
            set_acknowledged_ns(word_seen_ns() - first_launch_ns_);
        }
        wait_for_all();
        launched_ = 0;
    }

    /// A window has arrived when there is a notice on each queue; the next one's come only after
    /// the confirmation.
    std::int64_t answer() override {
        step();
        if (!has_in_flight() && has_arrivals(arrivals_ + call().queues)) {
            arrivals_ += call().queues;
            tell();
            ++answered_;
        }
        return has_in_flight() ? answered_ - 1 : answered_;
    }

  private:
    bool is_written() const { return call().verb == Verb::write; }

    bool sends_;
    bool receives_;
    std::int64_t launched_ = 0;  ///< since the last complete()
    std::int64_t arrivals_ = 0;  ///< expected since the start
    std::int64_t answered_ = 0;
    std::int64_t first_launch_ns_ = 0;
};

/// Who has read tells the peer, for which there is nothing else to see.
class ReadExchange : public AheadExchange {
  public:
    using AheadExchange::AheadExchange;

    std::int64_t answer() override {
        step();
        if (has_word()) {
            hear();
            ++answered_;
        }
        return answered_;
    }

  private:
    std::int64_t answered_ = 0;
};

/// A window of reads, or the other side of one, or both.
class ReadWindow : public ReadExchange {
  public:
    ReadWindow(const PairCall& call, Duty duty, Channel& channel)
        : ReadExchange(call, channel), reads_(receives(duty)), is_read_(sends(duty)) {}

    void launch() override {
        if (!reads_) return;
        if (is_launched_) return post_later(1);
        is_launched_ = true;
        first_launch_ns_ = monotonic_now_ns();
        for (int slot = 0; slot < slots().messages; ++slot)
            post(slot);
    }

    void complete() override {
        wait_for_posts();
        wait_for_all();
        if (reads_) {
            set_acknowledged_ns(own_seen_ns() - first_launch_ns_);
            tell();
        }
        if (is_read_) hear();
        wait_for_all();
        is_launched_ = false;
    }

  private:
    bool reads_;
    bool is_read_;
    bool is_launched_ = false;
    std::int64_t first_launch_ns_ = 0;
};

/// One read after the other.
class ReadTrip : public ReadExchange {
  public:
    ReadTrip(const PairCall& call, Duty duty, Channel& channel)
        : ReadExchange(call, channel), reads_(receives(duty)) {}

    void launch() override {
        if (!reads_) return;
        if (first_launch_ns_ == 0) first_launch_ns_ = monotonic_now_ns();
        post(0);
        wait_for(0);
    }

    void complete() override {
        if (!reads_) return hear();
        set_acknowledged_ns(own_seen_ns() - first_launch_ns_);
        first_launch_ns_ = 0;
        tell();
        wait_for_all();
    }

  private:
    bool reads_;
    std::int64_t first_launch_ns_ = 0;
};

/// A message there and one back, sent or written.
class RoundTrip : public AheadExchange {
  public:
    RoundTrip(const PairCall& call, Duty duty, Channel& channel)
        : AheadExchange(call, channel), asks_(duty == Duty::ask) {
        expect_payload(1, 1);
    }

    void launch() override {
        if (first_launch_ns_ == 0) first_launch_ns_ = monotonic_now_ns();
        wait_for(0);
        ++trips_;
        if (!asks_) wait_for_arrivals(trips_);
        post(0, call().verb == Verb::write);
        if (asks_) wait_for_arrivals(trips_);
    }

    void complete() override {
        if (asks_) set_acknowledged_ns(arrival_seen_ns() - first_launch_ns_);
        wait_for_all();
        first_launch_ns_ = 0;
    }

    std::int64_t answer() override {
        step();
        if (!has_in_flight() && has_arrivals(trips_ + 1)) {
            ++trips_;
            post(0, call().verb == Verb::write);
            ++answered_;
        }
        return has_in_flight() ? answered_ - 1 : answered_;
    }

  private:
    bool asks_;
    std::int64_t trips_ = 0;
    std::int64_t answered_ = 0;
    std::int64_t first_launch_ns_ = 0;
};

}  // namespace

ChannelParameters ahead_channel_parameters(const PairCall& call) {
    const int receives = call.verb == Verb::send ? AheadExchange::receives_per_queue(call.depth)
                                                 : AheadExchange::words_ahead;
    // Two more to send: a notice, and a word behind one whose completion was not seen yet.
    return {call.depth + 2, receives, call.queues + 1};
}

std::unique_ptr<Exchange> make_ahead_exchange(const PairCall& call, Duty duty, Channel& channel) {
    const bool is_read = call.verb == Verb::read;
    if (call.operation == PairOperation::bandwidth) {
        if (is_read) return std::make_unique<ReadWindow>(call, duty, channel);
        return std::make_unique<ConfirmedWindow>(call, duty, channel);
    }
    if (is_read) return std::make_unique<ReadTrip>(call, duty, channel);
    return std::make_unique<RoundTrip>(call, duty, channel);
}

}  // namespace railgauge
