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

std::size_t needed_bytes(const PairCall& call) {
    return Slots{call.bytes, call.messages()}.size();
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
                             int rail)
    : transport_(std::move(transport)),
      memories_(std::move(memories)),
      plan_(plan),
      rank_(rank),
      rail_(rail) {
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
    peer_ = matching.peers[static_cast<std::size_t>(rank_)];
    if (peer_ < 0) return;
    duty_ = duty_of(call_, rank_, peer_);
    const Capabilities capabilities = transport_->capabilities();
    channel_ =
        transport_->connect(peer_, *memory_->buffer, channel_parameters(call_, capabilities));
    exchange_ = make_exchange(call_, duty_, capabilities, *channel_);
}

int PairsWorkload::group() const {
    return peer_ < 0 ? -1 : std::min(rank_, peer_);
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
    acknowledged_ns_.assign(peer_ < 0 ? 0 : samples, -1);
    completed_ = 0;
}

void PairsWorkload::complete() {
    exchange_->complete();
    acknowledged_ns_[completed_ % acknowledged_ns_.size()] = exchange_->acknowledged_ns();
    ++completed_;
}

CheckTally PairsWorkload::check(std::uint64_t round) {
    const Slots slots{call_.bytes, call_.messages()};
    for (int i = 0; i < call_.messages(); ++i) {
        const auto message = static_cast<std::uint64_t>(i);
        if (sends(duty_)) write_slot(slots.to_send(i), &write_payload, {rank_, message, round});
        if (receives(duty_)) write_slot(slots.received(i), &write_poison, {peer_, message, round});
    }
    // Nothing may arrive before the poison is laid, nor once more while it is compared: a library
    // that writes into the peer's memory asks nobody.
    exchange_->meet();
    launch();
    complete();
    CheckTally tally;
    for (int i = 0; receives(duty_) && i < call_.messages(); ++i) {
        const PayloadKey key{peer_, static_cast<std::uint64_t>(i), round};
        tally.checked += call_.bytes;
        tally.wrong += count_wrong_in_slot(slots.received(i), key);
    }
    exchange_->meet();
    return tally;
}

void PairsWorkload::close() {
    disconnect();
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
    exchange_.reset();
    if (channel_) channel_->close();
    channel_.reset();
    peer_ = -1;
}

void PairsWorkload::write_slot(std::size_t offset,
                               void (*write)(const PayloadKey&, std::span<std::byte>),
                               const PayloadKey& key) {
    std::byte* const slot = memory_->buffer->data() + offset;
    if (memory_->space->is_host_addressable()) return write(key, {slot, call_.bytes});
    staged_.resize(call_.bytes);
    write(key, staged_);
    memory_->space->write(slot, staged_);
}

std::uint64_t PairsWorkload::count_wrong_in_slot(std::size_t offset, const PayloadKey& key) {
    const std::byte* const slot = memory_->buffer->data() + offset;
    if (memory_->space->is_host_addressable()) return count_wrong(key, {slot, call_.bytes});
    staged_.resize(call_.bytes);
    memory_->space->read(slot, staged_);
    return count_wrong(key, staged_);
}

}  // namespace railgauge
