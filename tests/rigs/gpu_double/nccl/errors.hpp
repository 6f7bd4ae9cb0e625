// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nccl.h>

namespace gpu_double {

// Keeps the text for ncclGetLastError, and says it on stderr when NCCL_DEBUG is set.
ncclResult_t fail(ncclResult_t result, const std::string& problem);

}  // namespace gpu_double
