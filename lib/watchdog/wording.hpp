// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "watchdog/judgement.hpp"
#include "watchdog/plan.hpp"

namespace railgauge::board {

/// "rank 2", "ranks 3, 7-12"; of a long list the beginning: "ranks 0, 2, 4, ... (48 in all)".
/// @param ranks ascending
std::string format_ranks(const std::vector<int>& ranks);

/// As format_ranks, with the hosts: "ranks 3, 7-12 on n1, n4".
std::string format_ranks_on_hosts(const std::vector<int>& ranks,
                                  const std::vector<RankEntry>& entries);

/// The different hosts of `ranks`: "n1, n4"; "n1, n2, n3, n4, ... (12 in all)". Empty when not
/// known.
std::string format_hosts(const std::vector<int>& ranks, const std::vector<RankEntry>& entries);

/// "case all_reduce/... (operation all_reduce, 1048576 bytes, phase timed, iteration 41)", or
/// "phase init".
std::string describe_place(const Progress::Snapshot& at, const Plan& plan);

/// The line of an expired deadline: where, who, what to do.
std::string describe_expiry(const Judgement& judgement, const std::vector<RankEntry>& ranks,
                            const Plan& plan, milliseconds elapsed);

/// The line of ranks whose processes died. Ranks report once a second but work in step, so the
/// place is that of the speaker, which is at `at`, where that is further on than the last report of
/// the dead.
std::string describe_deaths(const std::vector<int>& dead, const std::vector<RankEntry>& ranks,
                            const Progress::Snapshot& at, const Plan& plan);

/// The line of a run that a signal ends, seen from rank 0 at `at`.
/// @param missing ranks that have not reported: they may be the reason
std::string describe_interruption(const std::string& signal, const Progress::Snapshot& at,
                                  const std::vector<int>& missing, const Plan& plan);

/// The line of a rank that gives up because rank 0's board does not answer.
/// @param board what is known of rank 0
std::string describe_lost_board(const RankEntry& board, const Progress::Snapshot& at,
                                const Plan& plan, milliseconds idle);

/// Writes "<program>: rank <rank>: <text>" as one line to stderr, the rank for ranks other than 0.
///
/// Apart from the log of lib/base because the watchdog must never be held up: a line that the other
/// end of a full pipe does not take within half a second is dropped.
void say(const std::string& program, int rank, const std::string& text);

}  // namespace railgauge::board
