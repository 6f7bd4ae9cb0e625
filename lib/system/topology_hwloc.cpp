// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <hwloc.h>

#include "base/destroyer.hpp"
#include "system/topology.hpp"

namespace railgauge {

std::optional<TopologySummary> read_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return std::nullopt;
    const std::unique_ptr<hwloc_topology, Destroyer<&hwloc_topology_destroy>> topology(raw);
    if (hwloc_topology_load(raw) != 0) return std::nullopt;
    return TopologySummary{hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PACKAGE),
                           hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_CORE),
                           hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_NUMANODE)};
}

}  // namespace railgauge
