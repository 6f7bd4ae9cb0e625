// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "incast/cast.hpp"
#include "incast/options.hpp"
#include "measure/case.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// Which of the two are at work: the victim alone, both, the incast alone.
enum class Congestion { isolated, congested, alone };

/// What the ranks of a case do.
struct IncastCall {
    Verb verb;          ///< of a request: send or write
    std::size_t bytes;  ///< of a message
    int queues;         ///< of each sender
    int depth;          ///< messages in flight on each queue
    bool ramp;
    Congestion congestion;
    std::size_t victim_bytes;  ///< of a victim's message
};

/// The cases of a run and who does what in each.
struct IncastPlan {
    std::vector<Case> cases;
    std::vector<Cast> casts;
    std::vector<std::size_t> cast_of_case;  ///< by place in `cases`, which is the case's id
    std::vector<std::string> remarks;       ///< lines for people: what was left out

    const Cast& cast(int case_id) const {
        return casts.at(cast_of_case.at(static_cast<std::size_t>(case_id)));
    }
};

/// The cases that the options ask of a fleet: receivers, then senders, queues, sizes, depths;
/// beside a victim each is isolated, congested and alone. Numbers of senders that the job does not
/// have are left out. Pure.
/// @throws Error(usage) when nothing is left, for sizes that are none, and as receiver_sets and
///         choose_victim do
IncastPlan plan_incast(const IncastOptions& options, const Fleet& fleet, const Site* site);

/// A case, read back.
IncastCall call_of_incast(const Case& c);

}  // namespace railgauge
