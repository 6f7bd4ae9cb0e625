// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <infiniband/verbs.h>

#include "base/destroyer.hpp"

namespace railgauge {

// To be destroyed in the opposite order: queue pairs, then what they refer to.

using DeviceList = std::unique_ptr<ibv_device*, Destroyer<&ibv_free_device_list>>;
using DeviceContext = std::unique_ptr<ibv_context, Destroyer<&ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, Destroyer<&ibv_dealloc_pd>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Destroyer<&ibv_destroy_cq>>;
using QueuePair = std::unique_ptr<ibv_qp, Destroyer<&ibv_destroy_qp>>;
using MemoryRegion = std::unique_ptr<ibv_mr, Destroyer<&ibv_dereg_mr>>;

}  // namespace railgauge
