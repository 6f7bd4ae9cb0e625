// SPDX-License-Identifier: Apache-2.0
// A collective goes in pieces through the ranks' slots: every rank lays down what it gives, all
// meet, every rank takes what it gets, all meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nccl.h>

#include "communicator.hpp"

namespace gpu_double {

enum class CollectiveKind {
    all_reduce,
    reduce,
    broadcast,
    all_gather,
    reduce_scatter,
    all_to_all,
    gather,
    scatter
};

struct Collective {
    CollectiveKind kind;
    const void* send;
    void* receive;
    // Elements of one block: what each rank gives to or gets from each other one.
    std::size_t count;
    ncclDataType_t type;
    ncclRedOp_t operation = ncclSum;
    int root = 0;
};

ncclResult_t validate(const Collective& collective, const ncclComm& communicator);

Outcome run(const Collective& collective, ncclComm& communicator, std::uint64_t sequence);

}  // namespace gpu_double
