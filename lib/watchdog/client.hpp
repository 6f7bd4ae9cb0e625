// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "watchdog/board_address.hpp"
#include "watchdog/frame.hpp"
#include "watchdog/rank_table.hpp"

namespace railgauge::board {

/// A rank's connection to the board: finds which of the board's addresses answers, reports,
/// listens. Nothing here waits; step() moves things on.
class Client {
  public:
    explicit Client(milliseconds interval) : interval_(interval) {}

    /// Where the board is; the same board again changes nothing.
    void set_target(const BoardAddress& target);

    /// Connects, reports when a report is due, takes in what the board said.
    void step(Instant now, const Frame& own);

    bool is_connected() const noexcept { return channel_ && channel_->is_open(); }

    /// Sends at once to a board that has been reached.
    void tell(const Frame& frame);

    /// What is known of rank 0: as `missing` until it has answered.
    const RankEntry& board() const noexcept { return board_; }

    /// The board has ended the job by its deadline.
    bool is_expired() const noexcept { return expired_; }

    void close();

    /// The descriptors whose readiness needs a step.
    void add_wakers(std::vector<pollfd>& wakers) const;

  private:
    struct Attempt {
        Channel channel;
        Instant since;
        bool greeted = false;
    };

    void begin_attempts(Instant now, const std::string& host);
    void follow_attempts(Instant now, const Frame& own);
    bool follow(Attempt& attempt, Instant now, const Frame& own);
    void listen(Instant now);
    void note(const Frame& frame, Instant now);

    milliseconds interval_;
    std::optional<BoardAddress> target_;
    std::vector<std::string> untried_;
    std::vector<Attempt> attempts_;
    std::optional<Channel> channel_;
    Instant next_attempt_{};
    Instant next_report_{};
    RankEntry board_;
    bool expired_ = false;
};

}  // namespace railgauge::board
