// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collective/pattern.hpp"
#include "collectives/call.hpp"
#include "measure/workload.hpp"

namespace railgauge {

/// Who asks: a rank of a group of `ranks`, whose library puts its results somewhere.
struct Member {
    int rank;
    int ranks;
    ResultPlace results = ResultPlace::start;
};

/// Fills the buffers of `call` for one operation: this rank's input where it has one, and poison
/// everywhere the operation has to write.
void write_input(const CollectiveCall& call, Member member, std::uint64_t round, Pattern& pattern);

/// Compares every element of this rank's result. Ranks that get none have checked nothing.
CheckTally check_result(const CollectiveCall& call, Member member, std::uint64_t round,
                        Pattern& pattern);

/// Makes the buffers fit for repeating the operation without refilling them: an in-place sum or
/// product would otherwise grow each time, to infinity or beyond the integers.
void settle_input(const CollectiveCall& call, Member member, Pattern& pattern);

}  // namespace railgauge
