// SPDX-License-Identifier: Apache-2.0
// What one group does with one communicator in one stream: one operation of that stream.
#pragma once

#include <vector>

#include <nccl.h>

#include "collective.hpp"
#include "communicator.hpp"
#include "point_to_point.hpp"

namespace gpu_double {

struct Launch {
    CommunicatorPointer communicator;
    cudaStream_t stream;
    std::vector<Message> messages;
    std::vector<Collective> collectives;
};

ncclResult_t submit(Launch launch);

}  // namespace gpu_double
