// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "incast/flow.hpp"

namespace railgauge {

/// The end that starts requests; see Flow for the course.
class LeadingFlow : public Flow {
  public:
    /// @param standing receives at the other end, on each of its queues
    LeadingFlow(Channel& channel, Line& line, const SlotArea& area, int standing,
                const RowSource& rows)
        : Flow(channel, line), area_(area), standing_(standing), row_source_(rows) {}

    void begin_window(const Window& window, SampleSink& sink) override;
    void begin_check() override;
    bool step(std::int64_t now_ns) override;
    bool is_finished() const override { return stage_ == Stage::finished; }

  protected:
    enum class Stage { finished, window, confirming, emptying, awaiting_ready, checking };

    /// Starts what may be started in the window.
    virtual void start(std::int64_t now_ns) = 0;

    /// A request's message is finished; in the window the next may start.
    virtual void finish(const Completion& completion) = 0;

    /// Whether all that was started is finished.
    virtual bool is_idle() const = 0;

    /// Every slot's message once.
    virtual void start_check() = 0;

    /// Whether what was checked needs empty messages behind it.
    virtual bool closes_check() const { return false; }

    const SlotArea& area() const { return area_; }
    const Window& window() const { return window_; }
    Stage stage() const { return stage_; }

    /// A request of the window.
    void count(int queue, std::int64_t start_ns, std::int64_t end_ns) {
        rows_->add(queue, start_ns, end_ns);
        ++requests_;
    }

  private:
    void advance(std::int64_t now_ns);
    void start_emptying();

    SlotArea area_;
    int standing_;
    RowSource row_source_;
    Window window_{};
    std::optional<RequestRows> rows_;
    Stage stage_ = Stage::finished;
    std::uint64_t requests_ = 0;
    int empties_ = 0;  ///< empty messages in flight
};

/// The end that takes requests.
class FollowingFlow : public Flow {
  public:
    /// @param standing receives on each queue of the area, each into the slot of its number
    FollowingFlow(Channel& channel, Line& line, const SlotArea& area, int standing)
        : Flow(channel, line), area_(area), standing_(standing) {}

    void stand_ready() override;
    void begin_window(const Window& window, SampleSink& sink) override;
    void begin_check() override;
    bool step(std::int64_t now_ns) override;
    bool is_finished() const override { return stage_ == Stage::finished && is_idle(); }

  protected:
    /// Of a receive; larger numbers are of sends.
    int receives() const { return area_.queues * standing_; }

    /// Bytes that a receive may bring.
    virtual std::size_t received_bytes() const { return area_.bytes; }

    /// Whether requests are taken by receives, so that their number is known here.
    virtual bool counts() const { return true; }

    /// A request was taken, in the window or in a check round.
    virtual void answer() {}

    /// An answer is finished.
    virtual void finish_answer() {}

    virtual bool is_idle() const { return true; }

    const SlotArea& area() const { return area_; }

  private:
    enum class Stage { finished, window, closing, checking };

    void post_receive(int i);
    void take(const Completion& completion);
    void listen_for_the_end();

    SlotArea area_;
    int standing_;
    Stage stage_ = Stage::finished;
    std::int64_t end_ns_ = 0;
    bool ready_ = false;  ///< the receives of the window are posted
    int left_ = 0;        ///< receives that stand and are not posted again
    std::uint64_t taken_ = 0;
    std::optional<std::uint64_t> expected_;
};

}  // namespace railgauge
