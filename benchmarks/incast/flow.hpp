// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "incast/line.hpp"
#include "incast/request_rows.hpp"
#include "incast/slot_area.hpp"
#include "measure/workload.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// One end of a connection in a case: a sender's, a receiver's, or an end of a victim's ping-pong.
/// A rank may have many and gives each a step in turn; no step waits.
///
/// In a window the leading end (sender, asker) starts requests until the window ends, waits for
/// those in flight and tells their number. The following end (receiver, answerer), which has
/// `standing` receives posted on each queue at any time, says when all have arrived. Then the
/// leading end sends an empty message for each receive that stands there: nothing is left in
/// flight, and what was written one-sidedly before has arrived.
///
/// A check round begins when the following end has said that it is ready.
class Flow {
  public:
    Flow(Channel& channel, Line& line) : channel_(channel), line_(line) {}
    virtual ~Flow() = default;
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    /// Posts the receives of a window, unless they are. Where messages must find them, no rank
    /// begins before every rank has done this.
    virtual void stand_ready() {}

    /// @param sink outlives the window
    virtual void begin_window(const Window& window, SampleSink& sink) = 0;

    /// For when nothing is in flight, payloads are laid out and places to receive are poisoned.
    virtual void begin_check() = 0;

    /// @param now_ns the monotonic clock
    /// @return whether anything arrived or was finished
    virtual bool step(std::int64_t now_ns) = 0;

    /// Whether the window, or the check round, is over for this end.
    virtual bool is_finished() const = 0;

    /// Whether until the window's end there is nothing to do here.
    virtual bool is_passive() const { return false; }

    /// Whether the other end gave up: the channel is of no use any more.
    bool is_abandoned() const { return abandoned_; }

    /// This end cannot go on; the other one hears of it.
    void give_up() { line_.tell(Word::failed); }

  protected:
    Channel& channel() { return channel_; }
    void tell(Word word, std::uint64_t number = 0) { line_.tell(word, number); }

    /// What the peer has told. `failed` is noted, and nothing to be returned.
    std::optional<Word> hear();
    std::uint64_t heard_number() const { return line_.number(); }

  private:
    Channel& channel_;
    Line& line_;
    bool abandoned_ = false;
};

/// What both ends of a flow into a receiver agree on.
struct Stream {
    Verb verb;  ///< send or write
    SlotArea area;
    std::size_t remote_begin = 0;  ///< of a sender: where its area begins at the receiver
};

/// Where a leading end's rows come from and how many there may be.
struct RowSource {
    CommonCells common;
    std::int64_t rows_per_second = 0;
    RequestRows::Source source;
};

ChannelParameters stream_parameters(const Stream& stream);
ChannelParameters ping_parameters();

/// @param delay_ns after the window's begin when the first request starts; negative = at once, as
///        part of the warm-up
std::unique_ptr<Flow> make_sending_flow(Channel& channel, Line& line, const Stream& stream,
                                        const RowSource& rows, std::int64_t delay_ns);
std::unique_ptr<Flow> make_receiving_flow(Channel& channel, Line& line, const Stream& stream);

/// @param area of two slots: 0 goes to the answerer, 1 comes back
std::unique_ptr<Flow> make_asking_flow(Channel& channel, Line& line, const SlotArea& area,
                                       const RowSource& rows);
std::unique_ptr<Flow> make_answering_flow(Channel& channel, Line& line, const SlotArea& area);

}  // namespace railgauge
