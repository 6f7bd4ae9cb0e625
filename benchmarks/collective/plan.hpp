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

/// The cases that the options ask of `ranks` ranks. Sizes and types that an operation cannot have
/// are left out with a remark as long as something of the operation remains. Pure.
/// @throws Error(usage) when nothing remains of an operation, or the root does not exist
CollectivePlan plan_collectives(const CollectiveOptions& options, int ranks);

/// A case, read back into the words of the backend; buffers are not set yet.
CollectiveCall call_of(const Case& c);

/// Bytes of the two buffers of a call; in place there is only the receive buffer.
struct BufferBytes {
    std::size_t send = 0;
    std::size_t receive = 0;
    std::size_t sum() const { return send + receive; }
};

BufferBytes buffer_bytes(const CollectiveCall& call, int ranks);

}  // namespace railgauge
