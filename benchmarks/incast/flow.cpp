// SPDX-License-Identifier: Apache-2.0
#include "incast/flow_ends.hpp"

namespace railgauge {

std::optional<Word> Flow::hear() {
    const std::optional<Word> word = line_.heard();
    if (word != Word::failed) return word;
    abandoned_ = true;
    return std::nullopt;
}

void LeadingFlow::begin_window(const Window& window, SampleSink& sink) {
    window_ = window;
    rows_.emplace(sink, row_source_.common, window, row_source_.rows_per_second,
                  row_source_.source);
    requests_ = 0;
    stage_ = Stage::window;
}

void LeadingFlow::begin_check() {
    stage_ = Stage::awaiting_ready;
}

bool LeadingFlow::step(std::int64_t now_ns) {
    const std::span<const Completion> finished = channel().poll();
    for (const Completion& completion : finished) {
        if (stage_ == Stage::emptying)
            --empties_;
        else
            finish(completion);
    }
    advance(now_ns);
    return !finished.empty();
}

void LeadingFlow::advance(std::int64_t now_ns) {
    switch (stage_) {
        case Stage::window:
            if (now_ns < window_.end_ns) return start(now_ns);
            hear();  // that the peer gave up
            if (!is_idle()) return;
            rows_->finish();
            tell(Word::done, requests_);
            stage_ = Stage::confirming;
            return;
        case Stage::confirming:
            if (hear() == Word::taken) start_emptying();
            return;
        case Stage::emptying:
            hear();  // that the peer gave up, here and below
            if (empties_ == 0) stage_ = Stage::finished;
            return;
        case Stage::awaiting_ready:
            if (hear() != Word::ready) return;
            stage_ = Stage::checking;
            return start_check();
        case Stage::checking:
            hear();
            if (!is_idle()) return;
            if (closes_check()) return start_emptying();
            stage_ = Stage::finished;
            return;
        case Stage::finished: return;
    }
}

void LeadingFlow::start_emptying() {
    stage_ = Stage::emptying;
    for (int queue = 0; queue < area_.queues; ++queue) {
        for (int i = 0; i < standing_; ++i, ++empties_)
            channel().post({.verb = Verb::send, .queue = queue});
    }
}

void FollowingFlow::stand_ready() {
    if (ready_) return;
    ready_ = true;
    for (int i = 0; i < receives(); ++i)
        post_receive(i);
}

void FollowingFlow::begin_window(const Window& window, SampleSink& /*sink*/) {
    end_ns_ = window.end_ns;
    taken_ = 0;
    expected_.reset();
    stand_ready();
    stage_ = Stage::window;
}

/// A round takes each receive once.
void FollowingFlow::begin_check() {
    ready_ = false;
    stand_ready();
    left_ = receives();
    stage_ = Stage::checking;
    tell(Word::ready);
}

bool FollowingFlow::step(std::int64_t now_ns) {
    const std::span<const Completion> finished = channel().poll();
    for (const Completion& completion : finished)
        take(completion);
    if (stage_ == Stage::window) {
        if (now_ns >= end_ns_) listen_for_the_end();
    } else if (left_ == 0) {
        stage_ = Stage::finished;
    } else {
        hear();  // that the peer gave up
    }
    return !finished.empty();
}

void FollowingFlow::take(const Completion& completion) {
    const auto i = static_cast<int>(completion.id);
    if (i >= receives()) return finish_answer();
    if (stage_ == Stage::window) {
        ++taken_;
        post_receive(i);
        return answer();
    }
    --left_;
    if (stage_ == Stage::checking) answer();
}

void FollowingFlow::listen_for_the_end() {
    if (!expected_ && hear() == Word::done) expected_ = heard_number();
    if (!expected_ || (counts() && taken_ != *expected_) || !is_idle()) return;
    left_ = receives();
    stage_ = Stage::closing;
    tell(Word::taken);
}

void FollowingFlow::post_receive(int i) {
    const int slot = i / standing_ * area_.depth + i % standing_;
    channel().post({.verb = Verb::receive,
                    .offset = area_.offset(slot),
                    .bytes = received_bytes(),
                    .id = static_cast<std::uint64_t>(i),
                    .queue = i / standing_});
}

}  // namespace railgauge
