// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "incast/plan.hpp"
#include "incast/slot_area.hpp"

namespace railgauge {

enum class Task { send, receive, ask, answer };

/// What a rank does with one peer in a case.
struct Part {
    Task task;
    int peer;
    SlotArea area;
    std::size_t remote_begin = 0;  ///< of a sender: its area at the receiver
    int place = 0;                 ///< of a sender among those of its receiver
};

/// A rank's parts, none when it is idle. A receiver's are in the order of its senders. Areas follow
/// each other from the beginning of the rank's memory. Pure.
std::vector<Part> parts_of(int rank, const Cast& cast, const IncastCall& call);

/// Memory that parts take.
std::size_t size_of(const std::vector<Part>& parts);

/// The most that any rank's parts take.
std::size_t largest_size(const Cast& cast, const IncastCall& call);

/// The colour of a rank's group: its receiver, for a victim's pair its asker unless one of them is
/// a receiver at work; -1 = idle.
int group_of(int rank, const Cast& cast, const IncastCall& call);

}  // namespace railgauge
