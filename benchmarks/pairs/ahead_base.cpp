// SPDX-License-Identifier: Apache-2.0
#include "pairs/ahead_base.hpp"

namespace railgauge {

int AheadExchange::receives_per_queue(int depth) {
    constexpr int least = 512;
    return depth >= least ? 2 * depth : (least + depth - 1) / depth * depth;
}

AheadExchange::AheadExchange(const PairCall& call, Channel& channel)
    : call_(call),
      slots_{call.bytes, call.messages()},
      channel_(channel),
      busy_(static_cast<std::size_t>(word_id()) + 1, 0),
      left_(static_cast<std::size_t>(call.queues), 0) {
    for (int i = 0; i < words_ahead; ++i)
        expect(0, 0, word_queue());
}

void AheadExchange::meet() {
    tell();
    hear();
    wait_for_all();
}

void AheadExchange::expect(std::size_t offset, std::size_t bytes, int queue) {
    const auto id = static_cast<std::uint64_t>(busy_.size() + receives_.size());
    receives_.push_back({Verb::receive, offset, bytes, id, 0, queue});
    channel_.post(receives_.back());
}

void AheadExchange::expect_payload(int slots, int queues) {
    if (call_.verb == Verb::send) {
        const int rounds = receives_per_queue(call_.depth) / call_.depth;
        for (int i = 0; i < rounds * slots; ++i)
            expect(slots_.received(i % slots), slots_.bytes, queue_of(i % slots));
        return;
    }
    for (int queue = 0; queue < queues; ++queue)
        expect(0, 0, queue);
}

void AheadExchange::post(int slot, bool notifies) {
    const int place = slot / call_.queues;
    const bool is_read = call_.verb == Verb::read;
    Message message{call_.verb, is_read ? slots_.received(slot) : slots_.to_send(slot),
                    slots_.bytes, static_cast<std::uint64_t>(slot)};
    message.remote_offset = is_read ? slots_.to_send(slot) : slots_.received(slot);
    message.queue = queue_of(slot);
    message.notifies = notifies;
    message.signalled = (place + 1) % call_.signal_interval == 0 || place + 1 == call_.depth;
    start(message);
}

void AheadExchange::post_later(int times) {
    for (std::int64_t& left : left_)
        left += std::int64_t{times} * call_.depth;
    all_left_ += std::int64_t{times} * slots_.messages;
}

void AheadExchange::notify(int queue) {
    post_empty(notice_id(queue), queue);
}

void AheadExchange::tell() {
    wait_for(word_id());
    post_empty(word_id(), word_queue());
}

void AheadExchange::hear() {
    ++words_expected_;
    while (words_ < words_expected_)
        step();
}

void AheadExchange::wait_for(int slot) {
    while (busy_[static_cast<std::size_t>(slot)] != 0)
        step();
}

void AheadExchange::wait_for_posts() {
    while (all_left_ > 0)
        step();
}

void AheadExchange::wait_for_all() {
    while (in_flight_ > 0)
        step();
}

void AheadExchange::wait_for_arrivals(std::int64_t messages) {
    while (arrived_ < messages)
        step();
}

void AheadExchange::step() {
    for (const Completion& completion : channel_.poll()) {
        if (completion.id < busy_.size()) {
            finish_own(completion);
        } else {
            finish_receive(completion);
        }
    }
}

void AheadExchange::start(const Message& message) {
    channel_.post(message);
    busy_[message.id] = 1;
    ++in_flight_;
}

void AheadExchange::post_empty(int id, int queue) {
    start({Verb::send, 0, 0, static_cast<std::uint64_t>(id), 0, queue});
}

void AheadExchange::finish_own(const Completion& completion) {
    busy_[completion.id] = 0;
    --in_flight_;
    own_seen_ns_ = completion.time_ns;
    const auto slot = static_cast<int>(completion.id);
    if (all_left_ == 0 || slot >= slots_.messages) return;
    // Each queue has its own number, so that message i of a window is always in slot i.
    std::int64_t& left = left_[static_cast<std::size_t>(queue_of(slot))];
    if (left == 0) return;
    --left;
    --all_left_;
    post(slot);
}

void AheadExchange::finish_receive(const Completion& completion) {
    const Message& receive = receives_[completion.id - busy_.size()];
    if (receive.queue == word_queue()) {
        ++words_;
        word_seen_ns_ = completion.time_ns;
    } else {
        ++arrived_;
        arrival_seen_ns_ = completion.time_ns;
    }
    channel_.post(receive);
}

}  // namespace railgauge
