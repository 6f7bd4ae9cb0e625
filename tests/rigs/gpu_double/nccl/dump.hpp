// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gpu_double {

// The files that NCCL_TOPO_DUMP_FILE and NCCL_GRAPH_DUMP_FILE name, if they do.
void write_dumps(int ranks);

}  // namespace gpu_double
