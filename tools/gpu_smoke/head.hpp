// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace railgauge::smoke {

/// What the table is about: GPU, driver, CUDA, NCCL, and whether they are doubles.
std::string table_head();

}  // namespace railgauge::smoke
