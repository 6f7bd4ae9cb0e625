// SPDX-License-Identifier: Apache-2.0
// The real library connects two ranks when they first exchange something, on the host: a first send
// or receive does not return before the peer has issued its counterpart.
#pragma once

#include <vector>

#include "launch.hpp"

namespace gpu_double {

// Announces the messages of one group, and waits until the peers have announced theirs or the
// communicator is stopped.
void make_first_contacts(const std::vector<Launch>& launches);

}  // namespace gpu_double
