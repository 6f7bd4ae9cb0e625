// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace railgauge {

/// Makes NCCL write what it finds of the machine and the paths that it chooses to
/// `nccl-topology.xml` and `nccl-graph.xml` of `folder`, which is made; before its first
/// communicator, on rank 0. A file that the environment names already stays where the user wants
/// it.
void arm_dumps(const std::filesystem::path& folder);

}  // namespace railgauge
