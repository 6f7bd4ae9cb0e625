// SPDX-License-Identifier: Apache-2.0
#include "collective/workload.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "collective/operations.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

constexpr std::size_t receive_alignment = 4096;

/// Where the receive buffer begins, behind the send buffer.
std::size_t receive_offset(const BufferBytes& bytes) {
    return (bytes.send + receive_alignment - 1) / receive_alignment * receive_alignment;
}

std::size_t needed_bytes(const CollectiveCall& call, int ranks) {
    const BufferBytes bytes = buffer_bytes(call, ranks);
    return receive_offset(bytes) + bytes.receive;
}

}  // namespace

CollectiveWorkload::CollectiveWorkload(std::unique_ptr<Collectives> collectives,
                                       std::unique_ptr<MemorySpace> memory,
                                       const std::vector<Case>& plan, MemoryShare share,
                                       Weights weights)
    : collectives_(std::move(collectives)),
      memory_(std::move(memory)),
      share_(share),
      weights_(std::move(weights)),
      buffer_(memory_->allocate(largest_needed_bytes(plan))) {}

void CollectiveWorkload::prepare(const Case& c) {
    call_ = call_of(c);
    require_possible();
    set_buffers();
    set_counts();
    collectives_->prepare(call_);
    if (!pattern_ || !pattern_->is_for(call_.type, call_.reduce)) {
        pattern_.emplace(call_.type, call_.reduce, collectives_->size());
    }
    // Without check rounds the buffers would hold an earlier case's data in another type: as floats
    // perhaps denormal numbers, which many processors add slowly.
    write_input(call_, member(), 0, *pattern_);
    settle_input(call_, member());
}

Traffic CollectiveWorkload::traffic() const {
    const OperationRow& row = row_of(call_.operation);
    const int ranks = member().ranks;
    const std::size_t element = size_of(call_.type);
    return {larger_elements(row, call_.count, ranks) * element,
            algbw_elements(call_, ranks) * element, row.bus_factor(ranks)};
}

CheckTally CollectiveWorkload::check(std::uint64_t round) {
    write_input(call_, member(), round, *pattern_);
    launch();
    complete();
    const CheckTally tally = check_result(call_, member(), round, *pattern_);
    settle_input(call_, member());
    return tally;
}

Member CollectiveWorkload::member() const {
    return {collectives_->rank(), collectives_->size()};
}

/// What the largest case needs that will not be refused.
std::size_t CollectiveWorkload::largest_needed_bytes(const std::vector<Case>& plan) const {
    std::size_t largest = 0;
    for (const Case& c : plan) {
        const CollectiveCall call = call_of(c);
        const std::size_t needed = needed_bytes(call, member().ranks);
        if (needed <= share_.bytes && collectives_->obstacle(call).empty())
            largest = std::max(largest, needed);
    }
    return largest;
}

void CollectiveWorkload::require_possible() const {
    if (const std::string obstacle = collectives_->obstacle(call_); !obstacle.empty()) {
        throw Error(ExitCode::usage, fmt::format("{} cannot do this case", collectives_->name()),
                    obstacle, "use another --redop, --dtype, --sizes or --backend");
    }
    require_share(needed_bytes(call_, member().ranks), share_, *memory_);
}

void CollectiveWorkload::set_buffers() {
    auto* const begin = static_cast<std::byte*>(buffer_.data());
    call_.receive = begin + receive_offset(buffer_bytes(call_, member().ranks));
    call_.send = call_.place == Place::in ? call_.receive : begin;
    // A broadcast has one buffer per rank: the root's is its input, the others' their output.
    if (call_.operation == Operation::broadcast && member().rank == call_.root) {
        call_.receive = begin;
    }
}

void CollectiveWorkload::set_counts() {
    if (call_.operation != Operation::alltoallv) return;
    const auto ranks = static_cast<std::size_t>(member().ranks);
    call_.counts = std::make_shared<CountMatrix>(scale_to(weights_, ranks, call_.count));
    if (call_.counts->most() == 0) {
        throw Error(ExitCode::usage, "no chunk has an element",
                    fmt::format("{} elements are spread over {} ranks", call_.count, ranks),
                    "use larger --sizes");
    }
}

}  // namespace railgauge
