// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "watchdog/rank_table.hpp"

namespace railgauge::board {

/// A rank's part in a job that does not get on; the `state` of expired.json.
enum class RankState {
    not_entered,  ///< it is behind the others: not yet in the operation or phase
    inside,       ///< entered and has not left
    left,         ///< has left what others are still inside of
    silent,       ///< its watchdog does not answer, or never reported
    gone,         ///< its process died
    ok            ///< not part of the hang: it rests in this case, or has ended, saying so
};

std::string_view to_text(RankState state);

/// Why the suspects are suspected; the first that applies.
enum class Evidence {
    died,         ///< they are gone
    no_answer,    ///< they are silent
    not_entered,  ///< they are behind
    never_left,   ///< they are inside what others have left
    asleep,       ///< all are inside, but these use no CPU while the others spin: a hint only
    none          ///< all are inside: nothing tells them apart
};

struct Judgement {
    std::vector<RankState> states;  ///< by rank
    std::vector<int> suspects;
    Evidence evidence = Evidence::none;
    Progress::Snapshot place{Phase::launch, -1, 0};  ///< what the job is stuck in
};

/// Times that depend on how often ranks report.
struct Limits {
    milliseconds deadline{0};  ///< 0 = none
    milliseconds silence{0};   ///< a connected rank not heard for longer does not answer
};

Limits limits_for(milliseconds deadline);

/// How often a watchdog reports: seldom, because ranks may share a core.
milliseconds beat_interval(milliseconds deadline);

/// Whether no rank got on for the deadline. A slow rank that gets on keeps the job alive.
bool is_expired(const RankTable& table, const Limits& limits, Instant now);

/// Who keeps the job from getting on. Pure.
///
/// Positions are ordered by case, phase and sequence; `between` follows the case that it names. Let
/// the job be stuck in operation k, that of the rank furthest behind: ranks at sequence <= 2k have
/// not entered it, those at 2k + 1 are inside, the rest have left. Silent and gone ranks do not
/// count: their last report is older than the hang.
Judgement judge(const std::vector<RankEntry>& ranks, const Limits& limits, Instant now);

/// Whether a rank at `a` is behind one at `b`.
bool is_before(const Progress::Snapshot& a, const Progress::Snapshot& b);

/// Whether a case is under way.
bool is_in_case(const Progress::Snapshot& at);

}  // namespace railgauge::board
