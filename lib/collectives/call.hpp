// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/count_matrix.hpp"
#include "collectives/data_type.hpp"

namespace railgauge {

enum class Operation {
    all_reduce,
    all_gather,
    reduce_scatter,
    broadcast,
    reduce,
    alltoall,
    alltoallv,
    gather,
    scatter,
    sendrecv,
    hypercube
};

/// avg divides the sum by the number of ranks; mulsum sums after each rank multiplied its input by
/// mulsum_factor.
enum class ReduceOperation { none, sum, prod, min, max, avg, mulsum };

enum class Place { out, in };

/// Where a library leaves the result of an in-place reduce_scatter: at the start of the buffer
/// (MPI), or at the rank's place in it (NCCL).
enum class ResultPlace { start, own_place };

/// What rank `rank` multiplies its input by in a mulsum.
inline int mulsum_factor(int rank) {
    return 1 + rank % 2;
}

std::string_view to_text(ReduceOperation reduce);
std::string_view to_text(Place place);

/// @throws Error(usage) that lists the names there are
ReduceOperation parse_reduce_operation(std::string_view text);
Place parse_place(std::string_view text);

std::vector<std::string> reduce_operation_names();

/// One collective of one group, in the backend-neutral words of the sweep.
///
/// In place, `send` and `receive` are the start of one buffer, as large as the larger of the two;
/// it holds this rank's input where the operation's in-place form expects it.
struct CollectiveCall {
    Operation operation;
    DataType type;
    ReduceOperation reduce;
    Place place;
    int root;
    std::size_t count;  ///< elements: the per-rank argument, as nccl-tests prints it
    const void* send;
    void* receive;
    std::shared_ptr<const CountMatrix> counts;  ///< alltoallv's: who sends whom how much
};

}  // namespace railgauge
