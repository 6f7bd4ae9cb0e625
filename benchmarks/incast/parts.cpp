// SPDX-License-Identifier: Apache-2.0
#include "incast/parts.hpp"

#include <algorithm>

namespace railgauge {
namespace {

SlotArea stream_area(const IncastCall& call) {
    return {0, call.bytes, call.queues, call.depth};
}

/// A place for the message there and one for the message back.
SlotArea ping_area(const IncastCall& call) {
    return {0, call.victim_bytes, 1, 2};
}

void add(Part part, std::vector<Part>& parts) {
    part.area.begin = size_of(parts);
    parts.push_back(part);
}

void add_of_crew(int rank, const Crew& crew, const IncastCall& call, std::vector<Part>& parts) {
    const SlotArea area = stream_area(call);
    for (std::size_t i = 0; i < crew.senders.size(); ++i) {
        const int sender = crew.senders[i];
        const int place = static_cast<int>(i);
        if (rank == crew.receiver) add({Task::receive, sender, area, 0, place}, parts);
        if (rank == sender) add({Task::send, crew.receiver, area, i * area.size(), place}, parts);
    }
}

bool has_incast(const IncastCall& call) {
    return call.congestion != Congestion::isolated;
}

bool has_victim(const Cast& cast, const IncastCall& call) {
    return cast.victim.has_value() && call.congestion != Congestion::alone;
}

/// The receiver of the crew that a rank is in; -1 = none.
int receiver_of(int rank, const Cast& cast) {
    for (const Crew& crew : cast.crews) {
        const bool sends =
            std::find(crew.senders.begin(), crew.senders.end(), rank) != crew.senders.end();
        if (sends || rank == crew.receiver) return crew.receiver;
    }
    return -1;
}

}  // namespace

std::vector<Part> parts_of(int rank, const Cast& cast, const IncastCall& call) {
    std::vector<Part> parts;
    if (has_incast(call))
        for (const Crew& crew : cast.crews)
            add_of_crew(rank, crew, call, parts);
    if (!has_victim(cast, call)) return parts;
    const auto [asker, answerer] = *cast.victim;
    if (rank == asker) add({Task::ask, answerer, ping_area(call)}, parts);
    if (rank == answerer) add({Task::answer, asker, ping_area(call)}, parts);
    return parts;
}

std::size_t size_of(const std::vector<Part>& parts) {
    return parts.empty() ? 0 : parts.back().area.begin + parts.back().area.size();
}

std::size_t largest_size(const Cast& cast, const IncastCall& call) {
    std::size_t largest = 0;
    for (const Crew& crew : cast.crews)
        largest = std::max(largest, size_of(parts_of(crew.receiver, cast, call)));
    if (has_victim(cast, call))
        largest = std::max(largest, size_of(parts_of(cast.victim->asker, cast, call)));
    return largest;
}

int group_of(int rank, const Cast& cast, const IncastCall& call) {
    if (has_incast(call))
        if (const int receiver = receiver_of(rank, cast); receiver >= 0) return receiver;
    if (!has_victim(cast, call)) return -1;
    const auto [asker, answerer] = *cast.victim;
    if (rank != asker && rank != answerer) return -1;
    const int receiver = has_incast(call) ? receiver_of(answerer, cast) : -1;
    return receiver >= 0 ? receiver : asker;
}

}  // namespace railgauge
