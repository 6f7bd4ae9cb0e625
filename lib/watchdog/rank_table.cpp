// SPDX-License-Identifier: Apache-2.0
#include "watchdog/rank_table.hpp"

#include <algorithm>

namespace railgauge::board {
namespace {

Link link_after(FrameType type) {
    switch (type) {
        case FrameType::goodbye: return Link::left;
        case FrameType::failed:
        case FrameType::expired: return Link::failed;
        case FrameType::signalled: return Link::ended;
        default: return Link::connected;
    }
}

}  // namespace

void RankTable::expect(int size) {
    size_known_ = true;
    resize(static_cast<std::size_t>(size));
}

void RankTable::resize(std::size_t size) {
    ranks_.resize(size);
    for (std::size_t rank = 0; rank < size; ++rank)
        ranks_[rank].rank = static_cast<int>(rank);
}

RankEntry& RankTable::at(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (index >= ranks_.size()) resize(index + 1);
    return ranks_[index];
}

void RankTable::note(const Frame& frame, Instant now) {
    RankEntry& entry = at(frame.rank);
    // Only a changed pulse moves got_on: frames of equal pulse are delayed by different times.
    if (frame.pulse != entry.pulse) entry.got_on = std::max(entry.got_on, now - frame.idle);
    // Coming and going are progress too; coming back is not, or a bad network would hide a hang.
    const bool is_new = entry.link == Link::missing;
    if (is_new || frame.type == FrameType::goodbye) entry.got_on = now;
    // A rank that has announced its end may go on beating until it is over.
    if (is_new || frame.type != FrameType::beat) entry.link = link_after(frame.type);
    entry.host = frame.host;
    entry.at = frame.at;
    entry.pulse = frame.pulse;
    entry.cpu_ms = frame.cpu_ms;
    entry.library_error = frame.library_error;
    entry.heard = now;
}

bool RankTable::note_closed(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (index >= ranks_.size() || ranks_[index].link != Link::connected) return false;
    ranks_[index].link = Link::gone;
    return true;
}

void RankTable::forgive(Instant::duration gap) {
    started_ += gap;
    for (RankEntry& entry : ranks_) {
        if (entry.link == Link::missing) continue;
        entry.got_on += gap;
        entry.heard += gap;
    }
}

Instant RankTable::last_progress() const {
    Instant latest = started_;
    for (const RankEntry& entry : ranks_)
        latest = std::max(latest, entry.got_on);
    return latest;
}

bool RankTable::is_complete() const {
    return size_known_ && std::none_of(ranks_.begin(), ranks_.end(), [](const RankEntry& entry) {
               return entry.link == Link::missing;
           });
}

}  // namespace railgauge::board
