// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace railgauge {

/// Places for the messages of one sender in flight: `depth` for each queue, at a sender and, once
/// for each of its senders, at a receiver. Every message in flight has its own, so that each can be
/// verified.
struct SlotArea {
    std::size_t begin = 0;  ///< in the rank's memory
    std::size_t bytes = 0;  ///< of a message
    int queues = 1;
    int depth = 1;

    std::size_t stride() const { return (bytes + 63) / 64 * 64; }
    int slots() const { return queues * depth; }
    std::size_t size() const { return static_cast<std::size_t>(slots()) * stride(); }

    /// Slot `i` belongs to queue i / depth.
    std::size_t offset(int i) const { return begin + static_cast<std::size_t>(i) * stride(); }
    int queue(int i) const { return i / depth; }
};

}  // namespace railgauge
