// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/memory_space.hpp"
#include "program/program.hpp"

namespace railgauge {

/// What the node that has least memory per rank can give each of its ranks. Collective.
MemoryShare agree_memory_share(const Job& job, const MemorySpace& memory);

}  // namespace railgauge
