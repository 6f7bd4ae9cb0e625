// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "watchdog/frame.hpp"

namespace railgauge::board {

/// What connects a rank's watchdog to the board.
enum class Link {
    missing,  ///< never reported
    connected,
    gone,    ///< closed its connection without a word: the process died
    left,    ///< clean end
    failed,  ///< ends and has said on stderr why (an error of its own, a deadline)
    ended    ///< ends by a signal
};

/// One rank as the board knows it.
struct RankEntry {
    int rank = 0;
    Link link = Link::missing;
    std::string host;
    Progress::Snapshot at{Phase::launch, -1, 0};
    std::uint64_t pulse = 0;
    std::uint32_t cpu_ms = 0;
    std::uint8_t library_error = 0;
    Instant got_on;  ///< when its pulse last changed; arriving counts
    Instant heard;   ///< when its last frame came
};

/// All ranks of the job, by rank. Pure bookkeeping: times are given.
class RankTable {
  public:
    explicit RankTable(Instant started) : started_(started) {}

    /// The job has `size` ranks, whether they have reported or not.
    void expect(int size);
    bool is_size_known() const noexcept { return size_known_; }

    /// Takes in a frame of a connected rank.
    void note(const Frame& frame, Instant now);

    /// The connection of `rank` has closed.
    /// @return whether that is a death: nothing announced it
    bool note_closed(int rank);

    /// The board's own process was stopped for `gap`; what the others did meanwhile is not known
    /// yet.
    void forgive(Instant::duration gap);

    /// When any rank last got on.
    Instant last_progress() const;

    bool is_complete() const;  ///< every expected rank has reported
    const std::vector<RankEntry>& ranks() const noexcept { return ranks_; }

  private:
    void resize(std::size_t size);
    RankEntry& at(int rank);

    Instant started_;
    bool size_known_ = false;
    std::vector<RankEntry> ranks_;
};

}  // namespace railgauge::board
