// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collective/operations.hpp"
#include "collective/options.hpp"
#include "measure/case.hpp"

namespace railgauge {

struct CollectivePlan {
    std::vector<Case> cases;
    std::vector<std::string> left_out;  ///< one line for everything asked for that is not a case
};

/// The groups of ranks that cases are for.
struct PlannedGroups {
    int ranks = 1;  ///< of each
    /// Which of them work: "together", or the name of the one that works alone, with its number.
    struct Active {
        std::string name = "together";
        int number = -1;  ///< -1 = all
    };
    std::vector<Active> active{Active{}};
};

/// The cases that the options ask of groups of ranks. Sizes and types that an operation cannot have
/// are left out with a remark as long as something of the operation remains. Pure.
/// @throws Error(usage) when nothing remains of an operation, or the root does not exist
CollectivePlan plan_collectives(const CollectiveOptions& options, const PlannedGroups& groups);

/// Whether a case is a collective: the other is the life of a communicator.
bool is_collective(const Case& c);

/// The number of the group that a case is for alone; -1 = all of them work at once.
int active_group(const Case& c);

/// A case of a collective, read back into the words of the backend; buffers are not set yet.
CollectiveCall call_of(const Case& c);

/// Bytes of the two buffers of a call; in place there is only the receive buffer.
struct BufferBytes {
    std::size_t send = 0;
    std::size_t receive = 0;
    std::size_t sum() const { return send + receive; }
};

BufferBytes buffer_bytes(const CollectiveCall& call, int ranks);

}  // namespace railgauge
