// SPDX-License-Identifier: Apache-2.0
#include "pairs/workload.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge {
namespace {

// Places of the extra columns.
constexpr std::size_t peer_place = 0;
constexpr std::size_t acknowledged_place = 2;

/// All that 64 bits can say where it is more.
std::size_t needed_bytes(const PairCall& call) {
    constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
    return Slots{call.bytes, call.messages()}.size_within(most).value_or(most);
}

/// What the largest case on a memory needs that will not be refused.
std::size_t largest_needed_bytes(const PairsPlan& plan, const Transport& transport,
                                 const PairsMemory& memory) {
    std::size_t largest = 0;
    for (const Case& c : plan.cases) {
        if (c.text("memory") != memory.space->name()) continue;
        const PairCall call = call_of(c);
        if (call.bytes > transport.capabilities().most_bytes) continue;
        const std::size_t needed = needed_bytes(call);
        if (needed <= memory.share.bytes) largest = std::max(largest, needed);
    }
    return largest;
}

void require_pairs(const Matching& matching) {
    if (matching.pairs() > 0) return;
    throw Error(ExitCode::usage, fmt::format("no pair on rails {}", matching.rails),
                "no two of its ranks have a link", "mend the links and measure again");
}

}  // namespace

PairsWorkload::PairsWorkload(std::unique_ptr<Transport> transport,
                             std::vector<PairsMemory> memories, const PairsPlan& plan, int rank,
                             int rail, std::optional<ServedClient> served)
    : transport_(std::move(transport)),
      memories_(std::move(memories)),
      plan_(plan),
      rank_(rank),
      rail_(rail),
      served_(std::move(served)) {
    for (PairsMemory& memory : memories_) {
        const std::size_t size = largest_needed_bytes(plan, *transport_, memory);
        memory.buffer = transport_->allocate(*memory.space, size);
    }
}

PairsWorkload::~PairsWorkload() {
    if (transport_) transport_->abandon();
}

void PairsWorkload::prepare(const Case& c) {
    disconnect();
    call_ = call_of(c);
    memory_ = &memory_of(c);
    require_fit(call_);
    const Matching& matching = plan_.matching(c.id());
    require_pairs(matching);
    const Other other = other_of(matching);
    // A rank that is not at work there keeps no place.
    if (served_ && other != Other::server) served_->leave();
    if (other == Other::nobody) return;
    if (other == Other::rank) peer_ = matching.peers[static_cast<std::size_t>(rank_)];
    other_ = other;
    connect();
}

PairsWorkload::Other PairsWorkload::other_of(const Matching& matching) const {
    if (matching.is_outside(rank_)) return Other::server;
    return matching.peers[static_cast<std::size_t>(rank_)] < 0 ? Other::nobody : Other::rank;
}

void PairsWorkload::connect() {
    // The receiver outside the job is the upper one of each pair.
    const bool is_served = other_ == Other::server;
    duty_ = is_served ? duty_of(call_, 0, 1) : duty_of(call_, rank_, peer_);
    const Capabilities capabilities = transport_->capabilities();
    const ChannelParameters parameters = channel_parameters(call_, capabilities);
    RegisteredMemory& buffer = *memory_->buffer;
    channel_ = is_served ? served_->connect(*transport_, buffer, call_, parameters)
                         : transport_->connect(peer_, buffer, parameters);
    exchange_ = make_exchange(call_, duty_, capabilities, *channel_);
    slots_.emplace(*memory_->space, buffer.data(), Slots{call_.bytes, call_.messages()}, duty_,
                   rank_, is_served ? outside_sender : peer_);
    launches_ = 0;
    completes_ = 0;
}

int PairsWorkload::group() const {
    switch (other_) {
        case Other::nobody: break;
        case Other::rank: return std::min(rank_, peer_);
        case Other::server: return rank_;
    }
    return -1;
}

std::int64_t PairsWorkload::answers() const {
    return answers_to(call_, launches_, completes_);
}

Traffic PairsWorkload::traffic() const {
    const std::uint64_t bytes = call_.window_bytes();
    const double factor = call_.operation == PairOperation::bandwidth
                              ? 1.0
                              : std::numeric_limits<double>::quiet_NaN();
    return {bytes, bytes, factor};
}

LibraryChoice PairsWorkload::library_choice() const {
    if (!channel_) return {};
    return {std::string(memory_->buffer->way()), channel_->path(), -1};
}

std::vector<SampleColumn> PairsWorkload::extra_columns() const {
    return {{"peer", "rank", CellType::i64, {}},
            {"rail", "rail", CellType::i64, {}},
            {acknowledged_column, "ns", CellType::i64, {}}};
}

void PairsWorkload::extra_cells(std::size_t column, std::span<Cell> cells) const {
    if (column != acknowledged_place) {
        std::ranges::fill(cells, static_cast<Cell>(column == peer_place ? peer_ : rail_));
        return;
    }
    const std::size_t first = completed_ - cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<Cell>(acknowledged_ns_[(first + i) % acknowledged_ns_.size()]);
}

void PairsWorkload::reserve(std::size_t samples) {
    acknowledged_ns_.assign(other_ == Other::nobody ? 0 : samples, -1);
    completed_ = 0;
}

void PairsWorkload::complete() {
    exchange_->complete();
    ++completes_;
    acknowledged_ns_[completed_ % acknowledged_ns_.size()] = exchange_->acknowledged_ns();
    ++completed_;
}

CheckTally PairsWorkload::check(std::uint64_t round) {
    if (other_ != Other::server) return slots_->run(*exchange_, round);
    served_->begin_check(round, answers());
    const CheckTally here = slots_->run(*exchange_, round);
    const CheckTally there = served_->end_check();
    return {here.checked + there.checked, here.wrong + there.wrong};
}

void PairsWorkload::close() {
    disconnect();
    if (served_) served_->leave();
    memories_.clear();
    transport_->close();
    transport_.reset();
}

PairsMemory& PairsWorkload::memory_of(const Case& c) {
    const auto found = std::ranges::find_if(memories_, [&](const PairsMemory& memory) {
        return memory.space->name() == c.text("memory");
    });
    if (found == memories_.end()) throw std::logic_error("a case is on a memory that is not here");
    return *found;
}

void PairsWorkload::require_fit(const PairCall& call) const {
    const std::size_t most = transport_->capabilities().most_bytes;
    if (call.bytes > most) {
        throw Error(
            ExitCode::usage, fmt::format("a message of {}", format_bytes(call.bytes)),
            fmt::format("transport {} sends at most {}", transport_->name(), format_bytes(most)),
            "use smaller --sizes");
    }
    require_share(needed_bytes(call), memory_->share, *memory_->space);
}

void PairsWorkload::disconnect() {
    slots_.reset();
    exchange_.reset();
    if (channel_ && other_ == Other::server) served_->end(answers());
    if (channel_) channel_->close();
    channel_.reset();
    peer_ = -1;
    other_ = Other::nobody;
}

}  // namespace railgauge
