// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace railgauge {

/// How NCCL may use CTAs; the first leaves it to NCCL.
inline constexpr std::array<std::string_view, 3> cta_policies{"default", "efficiency", "zero"};

/// How communicators of NCCL are made; 0 leaves the choice to NCCL.
struct NcclOptions {
    std::string cta_policy{cta_policies.front()};
    int min_ctas = 0;
    int max_ctas = 0;  ///< CTAs of an operation: its channels
    int traffic_class = -1;
};

}  // namespace railgauge
