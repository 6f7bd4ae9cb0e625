// SPDX-License-Identifier: Apache-2.0
// Calls between ncclGroupStart and ncclGroupEnd are collected and begin together.
#pragma once

#include <functional>

#include <nccl.h>

#include "collective.hpp"
#include "communicator.hpp"
#include "point_to_point.hpp"

namespace gpu_double {

// Each of these begins at once outside a group.
ncclResult_t issue(const CommunicatorPointer& communicator, const Collective& collective,
                   cudaStream_t stream);
ncclResult_t issue(const CommunicatorPointer& communicator, const Message& message,
                   cudaStream_t stream);

// Setting up a communicator. Jobs of one lane (splits of one parent) go one after the other.
struct SetUp {
    const void* lane;
    std::function<ncclResult_t()> job;
    Blocking blocking;
    // Called before a background job is on its way.
    std::function<void()> announce;
};
ncclResult_t issue(SetUp set_up);

// An error inside a group is the group's result too.
ncclResult_t refuse(ncclResult_t error);

}  // namespace gpu_double
