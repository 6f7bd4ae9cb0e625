// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace railgauge {

/// More of an answer is not read.
inline constexpr std::size_t most_ras_bytes = std::size_t{1} << 20;

/// What NCCL's RAS service of this host (NCCL_RAS_ADDR, else localhost:28028) says about the
/// communicators of the job: JSON since NCCL 2.28.7, plain text before. As much of it as came
/// within `limit` and most_ras_bytes; empty when there is no such service. Bytes that are no
/// printable UTF-8 are replaced. Evidence, not proof: the service may find nothing wrong while
/// ranks hang.
std::string query_ras(std::chrono::milliseconds limit);

}  // namespace railgauge
