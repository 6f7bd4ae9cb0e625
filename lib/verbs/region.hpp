// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "memory/memory_space.hpp"
#include "verbs/handles.hpp"
#include "verbs/port.hpp"

namespace railgauge {

/// Memory that a device reads and writes, for this side and for its peers.
struct Region {
    MemoryRegion handle;
    std::string_view way;  ///< "host", "dma-buf", "peermem": how the device reaches it
};

/// @throws Error(library) saying what the kernel said, and of GPU memory that for both ways
Region register_memory(const Port& port, const MemorySpace& space, const Buffer& buffer);

}  // namespace railgauge
