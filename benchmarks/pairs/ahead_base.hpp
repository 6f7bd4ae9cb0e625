// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "pairs/exchange.hpp"

namespace railgauge {

/// Messages of a channel whose receives are posted ahead: what such exchanges have in common.
class AheadExchange : public Exchange {
  public:
    /// Empty messages that may arrive before this rank looks. Of confirmations and meetings there
    /// are two; who reads says so without an answer, and would wait for a late peer beyond these.
    static constexpr int words_ahead = 64;

    /// Receives of a send on each queue. The sender has its completions before this rank looks, so
    /// that there are more than messages in flight: as many as perftest posts.
    static int receives_per_queue(int depth);

    AheadExchange(const PairCall& call, Channel& channel);

    void meet() override;
    std::int64_t acknowledged_ns() const override { return acknowledged_ns_; }

  protected:
    const PairCall& call() const { return call_; }
    const Slots& slots() const { return slots_; }
    int queue_of(int slot) const { return slot % call_.queues; }

    /// Posts a receive that is posted again whenever a message has taken it.
    void expect(std::size_t offset, std::size_t bytes, int queue);

    /// Receives of whole messages for sends, each slot many times in turn; of notices for writes.
    void expect_payload(int slots, int queues);

    /// Sends or writes what lies in a slot, or reads into it.
    void post(int slot, bool notifies = false);

    /// Has each slot posted so many times more, as it becomes free.
    void post_later(int times);

    /// Tells the peer that all that was written on a queue is there.
    void notify(int queue);

    /// A word to the peer, and waiting for one of it.
    void tell();
    void hear();

    /// Takes what has finished; posts receives again, and slots that are to be posted later.
    void step();

    bool has_in_flight() const { return in_flight_ > 0; }
    bool has_arrivals(std::int64_t messages) const { return arrived_ >= messages; }
    bool has_word() const { return words_ > words_expected_; }

    void wait_for(int slot);
    void wait_for_posts();  ///< until nothing is left to be posted later
    void wait_for_all();
    void wait_for_arrivals(std::int64_t messages);  ///< with payload, or notices; since the start

    /// When the last of them was seen.
    std::int64_t own_seen_ns() const { return own_seen_ns_; }
    std::int64_t word_seen_ns() const { return word_seen_ns_; }
    std::int64_t arrival_seen_ns() const { return arrival_seen_ns_; }

    void set_acknowledged_ns(std::int64_t ns) { acknowledged_ns_ = ns; }

  private:
    // Ids: slots, a notice on each queue, a word; from there on the receives.
    int notice_id(int queue) const { return slots_.messages + queue; }
    int word_id() const { return slots_.messages + call_.queues; }
    int word_queue() const { return call_.queues; }

    void start(const Message& message);
    void post_empty(int id, int queue);
    void finish_own(const Completion& completion);
    void finish_receive(const Completion& completion);

    PairCall call_;
    Slots slots_;
    Channel& channel_;
    std::vector<char> busy_;  ///< by id, of what this rank sends, writes or reads
    std::vector<Message> receives_;
    std::vector<std::int64_t> left_;  ///< by queue: to be posted when slots are free
    std::int64_t all_left_ = 0;
    int in_flight_ = 0;
    std::int64_t arrived_ = 0;
    std::int64_t words_ = 0;
    std::int64_t words_expected_ = 0;
    std::int64_t own_seen_ns_ = 0;
    std::int64_t word_seen_ns_ = 0;
    std::int64_t arrival_seen_ns_ = 0;
    std::int64_t acknowledged_ns_ = -1;
};

}  // namespace railgauge
