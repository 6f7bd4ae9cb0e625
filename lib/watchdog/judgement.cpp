// SPDX-License-Identifier: Apache-2.0
#include "watchdog/judgement.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace railgauge::board {
namespace {

using Position = Progress::Snapshot;

/// Before the cases, among them, after them.
int stretch(const Position& at) {
    if (at.phase <= Phase::setup) return 0;
    return at.phase == Phase::finalize ? 2 : 1;
}

/// Sorts positions in the order of a run.
auto order(const Position& at) {
    const int case_id = stretch(at) == 1 ? at.case_id : -1;
    return std::tuple(stretch(at), case_id, at.phase, at.sequence);
}

bool is_inside_operation(const Position& at) {
    return at.sequence % 2 == 1;
}

/// Has no part in what the others do.
bool rests(const RankEntry& rank) {
    return rank.at.sequence == Progress::resting;
}

bool answers(const RankEntry& rank, const Limits& limits, Instant now) {
    return rank.link == Link::connected && now - rank.heard <= limits.silence;
}

/// The ranks furthest behind and furthest ahead among those that answer.
struct Span {
    Position last;
    Position first;
    bool is_even() const { return order(last) == order(first); }
};

std::optional<Span> span_of(const std::vector<RankEntry>& ranks, const Limits& limits,
                            Instant now) {
    std::optional<Span> span;
    for (const RankEntry& rank : ranks) {
        if (!answers(rank, limits, now) || rests(rank)) continue;
        if (!span) span = Span{rank.at, rank.at};
        if (order(rank.at) < order(span->last)) span->last = rank.at;
        if (order(rank.at) > order(span->first)) span->first = rank.at;
    }
    return span;
}

/// What the job is stuck in: the operation that the last rank is inside of, or the next thing,
/// which the others have entered and it has not.
Position place_of(const Span& span) {
    const auto& [last, first] = span;
    if (span.is_even() || is_inside_operation(last)) return last;
    const bool same_loop = last.phase == first.phase && last.case_id == first.case_id;
    return same_loop ? Position{last.phase, last.case_id, last.sequence + 1} : first;
}

RankState state_of(const RankEntry& rank, const Position& place, const Limits& limits,
                   Instant now) {
    switch (rank.link) {
        case Link::gone: return RankState::gone;
        case Link::left:
        case Link::failed:
        case Link::ended: return RankState::ok;
        default: break;
    }
    if (!answers(rank, limits, now)) return RankState::silent;
    if (rests(rank)) return RankState::ok;
    if (order(rank.at) < order(place)) return RankState::not_entered;
    return order(rank.at) == order(place) ? RankState::inside : RankState::left;
}

std::vector<int> ranks_in(RankState state, const std::vector<RankState>& states) {
    std::vector<int> found;
    for (std::size_t rank = 0; rank < states.size(); ++rank) {
        if (states[rank] == state) found.push_back(static_cast<int>(rank));
    }
    return found;
}

/// Ranks that use less than a fifth of the CPU of the median while it spins: MPI waits by polling,
/// so a rank that sleeps is held by something else. Nothing when most ranks sleep: then waiting is
/// done by sleeping.
std::vector<int> sleepers(const std::vector<RankEntry>& ranks, const std::vector<int>& inside) {
    constexpr std::uint32_t least_spinning_ms = 10;  // per second; many ranks may share a core
    std::vector<std::uint32_t> cpu;
    for (const int rank : inside)
        cpu.push_back(ranks[static_cast<std::size_t>(rank)].cpu_ms);
    if (cpu.size() < 2) return {};
    // Of an even number the greater middle, so that one of two can be the sleeper.
    const auto middle = cpu.begin() + static_cast<std::ptrdiff_t>(cpu.size() / 2);
    std::nth_element(cpu.begin(), middle, cpu.end());
    const std::uint32_t median = *middle;
    if (median < least_spinning_ms) return {};
    std::vector<int> asleep;
    for (const int rank : inside) {
        if (ranks[static_cast<std::size_t>(rank)].cpu_ms < median / 5) asleep.push_back(rank);
    }
    return asleep;
}

void blame(Judgement& judgement, Evidence evidence, std::vector<int> suspects) {
    if (!judgement.suspects.empty() || suspects.empty()) return;
    judgement.evidence = evidence;
    judgement.suspects = std::move(suspects);
}

}  // namespace

std::string_view to_text(RankState state) {
    switch (state) {
        case RankState::not_entered: return "not-entered";
        case RankState::inside: return "inside";
        case RankState::left: return "left";
        case RankState::silent: return "silent";
        case RankState::gone: return "gone";
        case RankState::ok: return "ok";
    }
    return "ok";
}

milliseconds beat_interval(milliseconds deadline) {
    constexpr milliseconds usual{1000};
    if (deadline == milliseconds{0}) return usual;
    return std::clamp(deadline / 4, milliseconds{20}, usual);
}

Limits limits_for(milliseconds deadline) {
    return {deadline,
            std::max(3 * beat_interval(deadline), std::min(deadline / 2, milliseconds{5000}))};
}

bool is_expired(const RankTable& table, const Limits& limits, Instant now) {
    return limits.deadline > milliseconds{0} && now - table.last_progress() >= limits.deadline;
}

Judgement judge(const std::vector<RankEntry>& ranks, const Limits& limits, Instant now) {
    Judgement judgement;
    const std::optional<Span> span = span_of(ranks, limits, now);
    if (span) judgement.place = place_of(*span);
    for (const RankEntry& rank : ranks) {
        judgement.states.push_back(state_of(rank, judgement.place, limits, now));
    }
    const auto& states = judgement.states;
    const std::vector<int> inside = ranks_in(RankState::inside, states);
    blame(judgement, Evidence::died, ranks_in(RankState::gone, states));
    blame(judgement, Evidence::no_answer, ranks_in(RankState::silent, states));
    blame(judgement, Evidence::not_entered, ranks_in(RankState::not_entered, states));
    if (!ranks_in(RankState::left, states).empty()) blame(judgement, Evidence::never_left, inside);
    blame(judgement, Evidence::asleep, sleepers(ranks, inside));
    return judgement;
}

bool is_before(const Position& a, const Position& b) {
    return order(a) < order(b);
}

bool is_in_case(const Position& at) {
    return stretch(at) == 1 && at.phase != Phase::between && at.case_id >= 0;
}

}  // namespace railgauge::board
