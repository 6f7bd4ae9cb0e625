// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace railgauge {

/// Ids of messages that finish in the order in which they were posted, each known by a sequence
/// number that wraps. Allocates nothing after construction.
class IdRing {
  public:
    explicit IdRing(std::size_t depth)
        : depth_(static_cast<std::uint32_t>(depth)),
          ids_(std::bit_ceil(std::max<std::size_t>(depth, 1))),
          mask_(static_cast<std::uint32_t>(ids_.size() - 1)) {}

    bool is_full() const noexcept { return next_ - first_ == depth_; }
    std::uint32_t in_flight() const noexcept { return next_ - first_; }

    /// Room is the caller's to see to. @return the sequence number
    std::uint32_t push(std::uint64_t id) noexcept {
        ids_[next_ & mask_] = id;
        return next_++;
    }

    /// Gives up all up to the one of that number, oldest first: `take(id)` for each.
    template <class Take>
    void finish_through(std::uint32_t sequence, Take take) {
        while (first_ != sequence + 1)
            take(ids_[first_++ & mask_]);
    }

  private:
    std::uint32_t depth_;
    std::vector<std::uint64_t> ids_;
    std::uint32_t mask_;
    std::uint32_t first_ = 0;
    std::uint32_t next_ = 0;
};

}  // namespace railgauge
