// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "row.hpp"

namespace railgauge::smoke {

/// Before this process uses CUDA: two ranks of a communicator on one GPU, each a process, and what
/// becomes of the one whose peer leaves an operation out.
std::vector<Row> check_two_ranks();

/// Before this process uses CUDA: a rank whose peer never comes.
std::vector<Row> check_lone_rank();

/// The fill, verify and delay kernels against the host.
std::vector<Row> check_kernels();

/// All-reduces of one rank, on every kind of buffer and in every manner of launching.
std::vector<Row> check_all_reduces();

/// What this project adds to the time in which an operation is issued.
std::vector<Row> measure_launch_costs();

}  // namespace railgauge::smoke
