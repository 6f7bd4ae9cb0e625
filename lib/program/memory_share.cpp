// SPDX-License-Identifier: Apache-2.0
#include "program/memory_share.hpp"

#include <algorithm>
#include <limits>

namespace railgauge {

MemoryShare agree_memory_share(const Job& job, const MemorySpace& memory) {
    const int node = job.placement.ranks.at(static_cast<std::size_t>(job.team.rank())).node;
    const std::int64_t ranks = job.placement.nodes.at(static_cast<std::size_t>(node)).ranks;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto own =
        static_cast<std::int64_t>(std::min(memory.available_bytes(static_cast<int>(ranks)), most));
    const std::int64_t least = -job.team.max(-own);
    const std::int64_t least_ranks = job.team.max(own == least ? ranks : 0);
    return {static_cast<std::uint64_t>(least), static_cast<int>(least_ranks)};
}

}  // namespace railgauge
