// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpu_double {

// Flips a high bit of exactly `wanted` elements (or all there are), spread over the result.
inline void corrupt(char* elements, std::size_t count, std::size_t element_bytes,
                    std::size_t wanted) {
    const std::size_t victims = std::min(count, wanted);
    for (std::size_t i = 0; i < victims; ++i)
        elements[(i * count / victims + 1) * element_bytes - 1] ^= 0x40;
}

}  // namespace gpu_double
