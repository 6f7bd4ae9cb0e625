// SPDX-License-Identifier: Apache-2.0
// The ping-pong of a victim: a message to the answerer and one back, again and again.
#include "incast/flow_ends.hpp"
#include "measure/clock.hpp"

namespace railgauge {
namespace {

constexpr int ping_slot = 0;
constexpr int pong_slot = 1;

class AskingFlow : public LeadingFlow {
  public:
    AskingFlow(Channel& channel, Line& line, const SlotArea& area, const RowSource& rows)
        : LeadingFlow(channel, line, area, 1, rows) {}

  private:
    void start(std::int64_t /*now_ns*/) override {
        if (is_idle()) ask();
    }

    void finish(const Completion& completion) override {
        --in_flight_;
        if (completion.id == pong_slot) answered_ns_ = completion.time_ns;
        if (in_flight_ > 0 || stage() != Stage::window) return;
        count(0, asked_ns_, answered_ns_);
        if (answered_ns_ < window().end_ns) ask();
    }

    bool is_idle() const override { return in_flight_ == 0; }
    void start_check() override { ask(); }

    void ask() {
        asked_ns_ = monotonic_now_ns();
        post(Verb::receive, pong_slot);
        post(Verb::send, ping_slot);
    }

    void post(Verb verb, int slot) {
        ++in_flight_;
        channel().post({.verb = verb,
                        .offset = area().offset(slot),
                        .bytes = area().bytes,
                        .id = static_cast<std::uint64_t>(slot)});
    }

    int in_flight_ = 0;
    std::int64_t asked_ns_ = 0;
    std::int64_t answered_ns_ = 0;
};

class AnsweringFlow : public FollowingFlow {
  public:
    AnsweringFlow(Channel& channel, Line& line, const SlotArea& area)
        : FollowingFlow(channel, line, area, 1) {}

  private:
    void answer() override {
        ++owed_;
        pay();
    }

    void finish_answer() override {
        busy_ = false;
        pay();
    }

    bool is_idle() const override { return !busy_ && owed_ == 0; }

    /// One answer at a time: its slot may be read until it is finished.
    void pay() {
        if (busy_ || owed_ == 0) return;
        --owed_;
        busy_ = true;
        channel().post({.verb = Verb::send,
                        .offset = area().offset(pong_slot),
                        .bytes = area().bytes,
                        .id = static_cast<std::uint64_t>(receives())});
    }

    int owed_ = 0;
    bool busy_ = false;
};

}  // namespace

ChannelParameters ping_parameters() {
    return {};
}

std::unique_ptr<Flow> make_asking_flow(Channel& channel, Line& line, const SlotArea& area,
                                       const RowSource& rows) {
    return std::make_unique<AskingFlow>(channel, line, area, rows);
}

std::unique_ptr<Flow> make_answering_flow(Channel& channel, Line& line, const SlotArea& area) {
    return std::make_unique<AnsweringFlow>(channel, line, area);
}

}  // namespace railgauge
