// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace railgauge {

/// How communicators of NCCL are made; 0 and "default" leave the choice to NCCL.
struct NcclOptions {
    std::string cta_policy = "default";  ///< default, efficiency, zero
    int min_ctas = 0;
    int max_ctas = 0;  ///< CTAs of an operation: its channels
    int traffic_class = -1;
};

}  // namespace railgauge
