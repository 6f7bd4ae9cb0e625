// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/case.hpp"
#include "memory/memory_space.hpp"
#include "pairs/exchange.hpp"
#include "transport/payload.hpp"

namespace railgauge {

/// One side of operations that are verified: what lies in its slots before, and what must after.
class SlotCheck {
  public:
    /// @param memory of `data`, where the slots begin; both outlive this
    /// @param own,other numbers of the two sides, which their payloads are known by
    SlotCheck(MemorySpace& memory, std::byte* data, const Slots& slots, Duty duty, int own,
              int other)
        : memory_(memory), data_(data), slots_(slots), duty_(duty), own_(own), other_(other) {}

    /// One operation of `exchange`, verified, while the peer does the same. Collective.
    CheckTally run(Exchange& exchange, std::uint64_t round);

  private:
    void fill(std::uint64_t round);
    CheckTally count(std::uint64_t round);
    void write_slot(std::size_t offset, void (*write)(const PayloadKey&, std::span<std::byte>),
                    const PayloadKey& key);
    std::uint64_t count_wrong_in_slot(std::size_t offset, const PayloadKey& key);

    MemorySpace& memory_;
    std::byte* data_;
    Slots slots_;
    Duty duty_;
    int own_;
    int other_;
    std::vector<std::byte> staged_;  ///< a message on its way to or from memory of a GPU
};

}  // namespace railgauge
