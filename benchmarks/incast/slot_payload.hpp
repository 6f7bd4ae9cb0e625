// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "incast/slot_area.hpp"
#include "memory/memory_space.hpp"
#include "transport/payload.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// Writes and compares payloads in slots, wherever the memory is.
class SlotPayload {
  public:
    SlotPayload(MemorySpace& space, RegisteredMemory& memory) : space_(space), memory_(memory) {}

    void write(const SlotArea& area, int slot, const PayloadKey& key) {
        fill(area, slot, &write_payload, key);
    }

    /// What does not arrive is then wrong in every byte.
    void poison(const SlotArea& area, int slot, const PayloadKey& key) {
        fill(area, slot, &write_poison, key);
    }

    std::uint64_t wrong(const SlotArea& area, int slot, const PayloadKey& key);

  private:
    void fill(const SlotArea& area, int slot, void (*put)(const PayloadKey&, std::span<std::byte>),
              const PayloadKey& key);

    MemorySpace& space_;
    RegisteredMemory& memory_;
    std::vector<std::byte> staged_;  ///< a message on its way to or from memory of a GPU
};

}  // namespace railgauge
