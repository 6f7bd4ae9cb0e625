// SPDX-License-Identifier: Apache-2.0
// Exchanges on libraries that keep a message until its receive is posted. Those that do not are in
// ahead_exchange.cpp.
#include "pairs/exchange.hpp"

#include <stdexcept>
#include <vector>

#include "measure/clock.hpp"
#include "pairs/ahead_exchange.hpp"

namespace railgauge {
namespace {

/// The messages of a channel that are under way, each known by a small number.
class InFlight {
  public:
    InFlight(Channel& channel, int messages)
        : channel_(channel), busy_(static_cast<std::size_t>(messages), 0), seen_ns_(busy_.size()) {}

    void post(Verb verb, int id, std::size_t offset, std::size_t bytes, int queue) {
        const auto number = static_cast<std::uint64_t>(id);
        channel_.post({verb, offset, bytes, number, 0, queue});
        busy_[number] = 1;
        ++count_;
    }

    /// What has finished since the last call; valid until the next one.
    std::span<const Completion> take() {
        const std::span<const Completion> finished = channel_.poll();
        for (const Completion& completion : finished) {
            busy_[completion.id] = 0;
            seen_ns_[completion.id] = completion.time_ns;
            --count_;
        }
        return finished;
    }

    void wait_for(int id) {
        while (busy_[static_cast<std::size_t>(id)] != 0)
            take();
    }

    void wait_for_all() {
        while (count_ > 0)
            take();
    }

    /// When message `id` was seen to have finished last.
    std::int64_t seen_ns(int id) const { return seen_ns_[static_cast<std::size_t>(id)]; }

  private:
    Channel& channel_;
    std::vector<char> busy_;
    std::vector<std::int64_t> seen_ns_;
    int count_ = 0;
};

/// Common to both operations: slots, numbers of the messages, and the empty messages by which the
/// two ranks tell each other something.
class BaseExchange : public Exchange {
  public:
    BaseExchange(const PairCall& call, Channel& channel)
        : slots_{call.bytes, call.messages()},
          queues_(call.queues),
          in_flight_(channel, 2 * call.messages() + 2) {}

    void meet() override {
        listen();
        tell();
        in_flight_.wait_for_all();
    }

    std::int64_t acknowledged_ns() const override { return acknowledged_ns_; }

  protected:
    int messages() const { return slots_.messages; }
    int sending(int slot) const { return slot; }
    int receiving(int slot) const { return messages() + slot; }
    int telling() const { return 2 * messages(); }
    int listening() const { return 2 * messages() + 1; }

    void send(int slot) {
        in_flight_.post(Verb::send, sending(slot), slots_.to_send(slot), slots_.bytes,
                        slot % queues_);
    }
    void receive(int slot) {
        in_flight_.post(Verb::receive, receiving(slot), slots_.received(slot), slots_.bytes,
                        slot % queues_);
    }
    void tell() { in_flight_.post(Verb::send, telling(), 0, 0, 0); }
    void listen() { in_flight_.post(Verb::receive, listening(), 0, 0, 0); }

    Slots slots_;
    int queues_;
    InFlight in_flight_;
    std::int64_t acknowledged_ns_ = -1;
};

/// A window of messages, in one direction or both. The receiver confirms the last with an empty
/// message, so that bytes in the sender's own buffers do not count. Windows launched in a row share
/// that confirmation: each slot is used again as soon as its message is done, and neither direction
/// waits for the other. In a window that is alone, as one that is verified, message i arrives in
/// slot i; in later ones wherever a slot was free.
class WindowExchange : public BaseExchange {
  public:
    WindowExchange(const PairCall& call, Duty duty, Channel& channel)
        : BaseExchange(call, channel), sends_(sends(duty)), receives_(receives(duty)) {}

    void launch() override {
        if (first_launch_ns_ != 0) {
            receives_left_ += receives_ ? messages() : 0;
            sends_left_ += sends_ ? messages() : 0;
            return;
        }
        first_launch_ns_ = monotonic_now_ns();
        for (int slot = 0; receives_ && slot < messages(); ++slot)
            receive(slot);
        for (int slot = 0; sends_ && slot < messages(); ++slot)
            send(slot);
    }

    void complete() override {
        // The empty messages go after all others: the peer takes them in the order of its receives.
        while (receives_left_ > 0 || sends_left_ > 0)
            use_slots_again();
        if (sends_) listen();
        for (int slot = 0; receives_ && slot < messages(); ++slot)
            in_flight_.wait_for(receiving(slot));
        if (receives_) tell();
        in_flight_.wait_for_all();
        if (sends_) acknowledged_ns_ = in_flight_.seen_ns(listening()) - first_launch_ns_;
        first_launch_ns_ = 0;
    }

  private:
    void use_slots_again() {
        for (const Completion& completion : in_flight_.take()) {
            const auto id = static_cast<int>(completion.id);
            const bool was_send = id < receiving(0);
            std::int64_t& left = was_send ? sends_left_ : receives_left_;
            if (left == 0) continue;
            --left;
            if (was_send)
                send(id);
            else
                receive(id - receiving(0));
        }
    }

    bool sends_;
    bool receives_;
    // Messages launched whose slots are not free yet.
    std::int64_t sends_left_ = 0;
    std::int64_t receives_left_ = 0;
    std::int64_t first_launch_ns_ = 0;  // 0 = nothing launched since the last complete()
};

/// A message there and one back.
class RoundTrip : public BaseExchange {
  public:
    RoundTrip(const PairCall& call, Duty duty, Channel& channel)
        : BaseExchange(call, channel), asks_(duty == Duty::ask) {}

    void launch() override {
        if (first_launch_ns_ == 0) first_launch_ns_ = monotonic_now_ns();
        receive(0);
        if (!asks_) in_flight_.wait_for(receiving(0));
        send(0);
        in_flight_.wait_for_all();
    }

    void complete() override {
        if (asks_) acknowledged_ns_ = in_flight_.seen_ns(receiving(0)) - first_launch_ns_;
        first_launch_ns_ = 0;
    }

  private:
    bool asks_;
    std::int64_t first_launch_ns_ = 0;
};

}  // namespace

Duty duty_of(const PairCall& call, int rank, int peer) {
    const bool lower = rank < peer;
    if (call.operation == PairOperation::latency && call.verb == Verb::read)
        return lower ? Duty::receive : Duty::send;
    switch (call.direction) {
        case Direction::forward: return lower ? Duty::send : Duty::receive;
        case Direction::backward: return lower ? Duty::receive : Duty::send;
        case Direction::both: return Duty::send_and_receive;
        case Direction::round_trip: break;
    }
    return lower ? Duty::ask : Duty::answer;
}

bool sends(Duty duty) {
    return duty != Duty::receive;
}

bool receives(Duty duty) {
    return duty != Duty::send;
}

bool is_answered(const PairCall& call, Duty duty) {
    switch (duty) {
        case Duty::send:
        case Duty::ask: return call.verb == Verb::write;
        case Duty::receive: return call.verb == Verb::read;
        case Duty::send_and_receive:
        case Duty::answer: break;
    }
    return false;
}

std::int64_t answers_to(const PairCall& call, std::int64_t launches, std::int64_t completes) {
    const bool is_round_trip = call.operation == PairOperation::latency && call.verb != Verb::read;
    return is_round_trip ? launches : completes;
}

std::int64_t Exchange::answer() {
    throw std::logic_error("this exchange does not answer by itself");
}

ChannelParameters channel_parameters(const PairCall& call, const Capabilities& capabilities) {
    if (capabilities.receives_ahead) return ahead_channel_parameters(call);
    // One more for the empty message.
    return {call.depth + 1, call.depth + 1, call.queues};
}

std::unique_ptr<Exchange> make_exchange(const PairCall& call, Duty duty,
                                        const Capabilities& capabilities, Channel& channel) {
    if (capabilities.receives_ahead) return make_ahead_exchange(call, duty, channel);
    if (call.operation == PairOperation::latency)
        return std::make_unique<RoundTrip>(call, duty, channel);
    return std::make_unique<WindowExchange>(call, duty, channel);
}

}  // namespace railgauge
