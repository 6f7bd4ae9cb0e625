// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace railgauge {

struct TopologySummary {
    int packages = 0;
    int cores = 0;
    int numa_nodes = 0;
};

/// None when built without hwloc or the machine does not tell.
std::optional<TopologySummary> read_topology();

}  // namespace railgauge
