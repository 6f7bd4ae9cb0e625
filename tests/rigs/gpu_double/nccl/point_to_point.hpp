// SPDX-License-Identifier: Apache-2.0
// The sends and receives of one group make progress together, a letter at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nccl.h>

#include "communicator.hpp"

namespace gpu_double {

enum class Direction { send, receive };

struct Message {
    Direction direction;
    void* memory;
    std::size_t count;
    ncclDataType_t type;
    int peer;
};

ncclResult_t validate(const Message& message, const ncclComm& communicator);

Outcome run(const std::vector<Message>& messages, ncclComm& communicator, std::uint64_t sequence);

}  // namespace gpu_double
