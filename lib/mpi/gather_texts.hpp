// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

namespace railgauge {

/// Every rank's text on rank 0, in rank order; empty elsewhere.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text);

/// Rank 0's text on every rank.
std::string broadcast_text(MPI_Comm comm, int root, std::string text);

}  // namespace railgauge
