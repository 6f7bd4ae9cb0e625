// SPDX-License-Identifier: Apache-2.0
#include "collective/workload.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "collective/operations.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

constexpr std::size_t alignment = 4096;

std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// What the buffers of one call take: the send buffer, and behind it the receive buffer.
std::size_t call_bytes(const CollectiveCall& call, int ranks) {
    const BufferBytes bytes = buffer_bytes(call, ranks);
    return aligned(bytes.send) + aligned(bytes.receive);
}

}  // namespace

CollectiveWorkload::CollectiveWorkload(std::unique_ptr<Collectives> collectives,
                                       std::unique_ptr<MemorySpace> memory,
                                       const std::vector<Case>& plan, Setting setting)
    : collectives_(std::move(collectives)),
      memory_(std::move(memory)),
      engine_(make_pattern_engine(*memory_)),
      setting_(std::move(setting)),
      largest_bytes_(largest_needed_bytes(plan)),
      communicators_(*collectives_, setting_.place.number) {}

CollectiveWorkload::~CollectiveWorkload() {
    if (collectives_) collectives_->abandon();
}

IterationWorkload& CollectiveWorkload::serving(const Case& c) {
    if (is_collective(c)) return *this;
    return communicators_;
}

void CollectiveWorkload::prepare(const Case& c) {
    CollectiveCall call = call_of(c);
    const int chosen = active_group(c);
    const int own = setting_.place.number;
    is_active_ = own >= 0 && (chosen < 0 || chosen == own);
    set_counts(call);
    require_possible(call);
    const BufferKind kind = parse_buffer_kind(c.text("buffers"));
    if (kind_ != kind && own >= 0) {  // ranks that rest now work in the next case
        buffer_ = {};
        buffer_ = collectives_->allocate(*memory_, largest_bytes_, kind);
        kind_ = kind;
    }
    calls_.clear();
    choice_ = {};
    for (int i = 0; i < setting_.manner.together; ++i)
        calls_.push_back(with_buffers(call, static_cast<std::size_t>(i)));
    if (!is_active_) return;
    collectives_->prepare(calls_, setting_.manner);
    if (!pattern_ || !pattern_->is_for(call.type, call.reduce))
        pattern_.emplace(*engine_, call.type, call.reduce, member().ranks);
    // Without check rounds the buffers would hold an earlier case's data in another type: as floats
    // perhaps denormal numbers, which many processors add slowly.
    for (const CollectiveCall& one : calls_) {
        write_input(one, member(), 0, *pattern_);
        settle_input(one, member(), *pattern_);
        alive_();
    }
}

Traffic CollectiveWorkload::traffic() const {
    const CollectiveCall& call = calls_.front();
    const OperationRow& row = row_of(call.operation);
    const int ranks = member().ranks;
    const std::size_t element = size_of(call.type);
    return {larger_elements(row, call.count, ranks) * element,
            algbw_elements(call, ranks) * element, row.bus_factor(ranks)};
}

std::uint64_t CollectiveWorkload::ops_per_launch() const {
    return static_cast<std::uint64_t>(setting_.manner.together) *
           static_cast<std::uint64_t>(std::max(setting_.manner.captured, 1));
}

CheckTally CollectiveWorkload::check(std::uint64_t round) {
    // Calls that are issued as one get patterns of their own.
    const std::uint64_t first = round * calls_.size();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        write_input(calls_[i], member(), first + i, *pattern_);
        alive_();
    }
    collectives_->watch_choice();
    launch();
    complete();
    choice_ = collectives_->take_choice();
    CheckTally tally;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        const CheckTally one = check_result(calls_[i], member(), first + i, *pattern_);
        tally.checked += one.checked;
        tally.wrong += one.wrong;
        settle_input(calls_[i], member(), *pattern_);
        alive_();
    }
    return tally;
}

std::vector<SampleColumn> CollectiveWorkload::extra_columns() const {
    if (!collectives_->has_device_times()) return {};
    return {{"device_ns", "ns", CellType::i64, {}}};
}

void CollectiveWorkload::extra_cells(std::size_t /*column*/, std::span<Cell> cells) const {
    const std::span<const Cell> times = collectives_->device_times_ns();
    std::ranges::copy(times.last(cells.size()), cells.begin());
}

void CollectiveWorkload::close() {
    pattern_.reset();
    buffer_ = {};
    collectives_->close();
    collectives_.reset();
}

Member CollectiveWorkload::member() const {
    return {collectives_->rank(), setting_.place.ranks, collectives_->result_place()};
}

std::size_t CollectiveWorkload::needed_bytes(const CollectiveCall& call) const {
    return call_bytes(call, member().ranks) * static_cast<std::size_t>(setting_.manner.together);
}

/// What the largest case needs that will not be refused.
std::size_t CollectiveWorkload::largest_needed_bytes(const std::vector<Case>& plan) const {
    std::size_t largest = 0;
    for (const Case& c : plan) {
        if (!is_collective(c)) continue;
        const CollectiveCall call = call_of(c);
        const std::size_t needed = needed_bytes(call);
        if (needed <= setting_.share.bytes && obstacle(call).empty())
            largest = std::max(largest, needed);
    }
    return largest;
}

std::string CollectiveWorkload::obstacle(const CollectiveCall& call) const {
    if (call.place == Place::in && call.reduce != ReduceOperation::none &&
        setting_.manner.captured > 1) {
        return "a reduction in place that is repeated in a graph has no known result";
    }
    return collectives_->obstacle(call, setting_.manner);
}

void CollectiveWorkload::require_possible(const CollectiveCall& call) const {
    if (const std::string why = obstacle(call); !why.empty()) {
        throw Error(ExitCode::usage, fmt::format("{} cannot do this case", collectives_->name()),
                    why, "use another --redop, --dtype, --sizes, --place or --backend");
    }
    require_share(needed_bytes(call), setting_.share, *memory_);
}

CollectiveCall CollectiveWorkload::with_buffers(CollectiveCall call, std::size_t index) const {
    auto* const begin =
        static_cast<std::byte*>(buffer_.data()) + index * call_bytes(call, member().ranks);
    call.receive = begin + aligned(buffer_bytes(call, member().ranks).send);
    call.send = call.place == Place::in ? call.receive : begin;
    // A broadcast has one buffer per rank: the root's is its input, the others' their output.
    const bool is_root = member().rank == call.root;
    if (call.operation == Operation::broadcast && is_root) call.receive = begin;
    return call;
}

void CollectiveWorkload::set_counts(CollectiveCall& call) const {
    if (call.operation != Operation::alltoallv) return;
    const auto ranks = static_cast<std::size_t>(member().ranks);
    call.counts = std::make_shared<CountMatrix>(scale_to(setting_.weights, ranks, call.count));
    if (call.counts->most() == 0) {
        throw Error(ExitCode::usage, "no chunk has an element",
                    fmt::format("{} elements are spread over {} ranks", call.count, ranks),
                    "use larger --sizes");
    }
}

}  // namespace railgauge
