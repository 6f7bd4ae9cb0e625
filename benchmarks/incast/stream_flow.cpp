// SPDX-License-Identifier: Apache-2.0
// Requests of a sender into its receiver's memory.
#include <vector>

#include "incast/flow_ends.hpp"
#include "measure/clock.hpp"

namespace railgauge {
namespace {

/// A write is taken by nobody: one receive on each queue stands for the word that all are there.
int standing_receives(const Stream& stream) {
    return stream.verb == Verb::write ? 1 : stream.area.depth;
}

/// All slots busy until the window ends: as a request is finished, the next one starts in its slot.
class SendingFlow : public LeadingFlow {
  public:
    SendingFlow(Channel& channel, Line& line, const Stream& stream, const RowSource& rows,
                std::int64_t delay_ns)
        : LeadingFlow(channel, line, stream.area, standing_receives(stream), rows),
          verb_(stream.verb),
          remote_(stream.area),
          delay_ns_(delay_ns),
          start_ns_(static_cast<std::size_t>(stream.area.slots())) {
        remote_.begin = stream.remote_begin;
    }

    void begin_window(const Window& window, SampleSink& sink) override {
        LeadingFlow::begin_window(window, sink);
        started_ = false;
    }

    bool is_passive() const override { return !started_; }

  private:
    void start(std::int64_t now_ns) override {
        if (started_ || (delay_ns_ >= 0 && now_ns < window().begin_ns + delay_ns_)) return;
        started_ = true;
        post_all();
    }

    void finish(const Completion& completion) override {
        --in_flight_;
        if (stage() != Stage::window) return;
        const auto slot = static_cast<int>(completion.id);
        count(area().queue(slot), start_ns_[completion.id], completion.time_ns);
        const std::int64_t now_ns = monotonic_now_ns();
        if (now_ns < window().end_ns) post(slot, now_ns);
    }

    bool is_idle() const override { return in_flight_ == 0; }
    void start_check() override { post_all(); }
    bool closes_check() const override { return verb_ == Verb::write; }

    /// Queues in turn, so that none has a head start of all its depth.
    void post_all() {
        for (int place = 0; place < area().depth; ++place)
            for (int queue = 0; queue < area().queues; ++queue)
                post(queue * area().depth + place, monotonic_now_ns());
    }

    void post(int slot, std::int64_t now_ns) {
        start_ns_[static_cast<std::size_t>(slot)] = now_ns;
        ++in_flight_;
        channel().post({.verb = verb_,
                        .offset = area().offset(slot),
                        .bytes = area().bytes,
                        .id = static_cast<std::uint64_t>(slot),
                        .remote_offset = remote_.offset(slot),
                        .queue = area().queue(slot),
                        .acknowledged = true});
    }

    Verb verb_;
    SlotArea remote_;
    std::int64_t delay_ns_;
    std::vector<std::int64_t> start_ns_;  ///< by slot
    int in_flight_ = 0;
    bool started_ = false;
};

class ReceivingFlow : public FollowingFlow {
  public:
    ReceivingFlow(Channel& channel, Line& line, const Stream& stream)
        : FollowingFlow(channel, line, stream.area, standing_receives(stream)),
          writes_(stream.verb == Verb::write) {}

    bool is_passive() const override { return writes_; }

  private:
    bool counts() const override { return !writes_; }
    std::size_t received_bytes() const override { return writes_ ? 0 : area().bytes; }

    bool writes_;
};

}  // namespace

ChannelParameters stream_parameters(const Stream& stream) {
    ChannelParameters parameters;
    parameters.send_depth = stream.area.depth;
    parameters.receive_depth = standing_receives(stream);
    parameters.queues = stream.area.queues;
    return parameters;
}

std::unique_ptr<Flow> make_sending_flow(Channel& channel, Line& line, const Stream& stream,
                                        const RowSource& rows, std::int64_t delay_ns) {
    return std::make_unique<SendingFlow>(channel, line, stream, rows, delay_ns);
}

std::unique_ptr<Flow> make_receiving_flow(Channel& channel, Line& line, const Stream& stream) {
    return std::make_unique<ReceivingFlow>(channel, line, stream);
}

}  // namespace railgauge
