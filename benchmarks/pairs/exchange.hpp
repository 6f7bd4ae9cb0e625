// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "pairs/plan.hpp"
#include "transport/transport.hpp"

namespace railgauge {

/// Where messages lie in a rank's memory: places to send from, then as many to receive into, the
/// same on both sides. Every message in flight has its own, so that each can be verified.
struct Slots {
    std::size_t bytes;
    int messages;

    std::size_t stride() const { return (bytes + 63) / 64 * 64; }
    std::size_t to_send(int slot) const { return static_cast<std::size_t>(slot) * stride(); }
    std::size_t received(int slot) const { return to_send(messages + slot); }
    std::size_t size() const { return to_send(2 * messages); }

    /// size(), or none when it exceeds `most`; without overflow.
    std::optional<std::size_t> size_within(std::uint64_t most) const {
        const auto places = 2 * static_cast<std::uint64_t>(messages);
        if (stride() > most / places) return std::nullopt;
        return size();
    }
};

/// What a rank does in an operation: its part of a window of messages, or of a round trip.
enum class Duty { send, receive, send_and_receive, ask, answer };

Duty duty_of(const PairCall& call, int rank, int peer);

/// Whether payload leaves, or reaches, a rank on that duty.
bool sends(Duty duty);
bool receives(Duty duty);

/// Whether the other end need not know how many operations there are: it answers whatever comes.
/// A write of one side, or a read by it.
bool is_answered(const PairCall& call, Duty duty);

/// Operations that the answering end counts for so many launch() and complete().
std::int64_t answers_to(const PairCall& call, std::int64_t launches, std::int64_t completes);

/// One rank's side of the operation of a pair, again and again.
class Exchange {
  public:
    virtual ~Exchange() = default;

    /// Issues the operation: at once, or while complete() waits when an earlier one still holds its
    /// slots.
    virtual void launch() = 0;

    /// Waits until everything launched has arrived, here and at the peer.
    virtual void complete() = 0;

    /// Of the operations completed last: from the first launch until the peer had confirmed that
    /// all that this rank sent had arrived, or until all that it read was there; -1 on a rank that
    /// did neither.
    virtual std::int64_t acknowledged_ns() const = 0;

    /// Returns when the peer has called it too. For when nothing is in flight.
    virtual void meet() = 0;

    /// Instead of launch() and complete(), at the end that only answers (is_answered()): does,
    /// without waiting, what the peer's operations ask of this one. Returns how many have been
    /// answered so far, with nothing left in flight; those of launch() and complete() do not count.
    virtual std::int64_t answer();
};

/// What an exchange asks of its channel.
ChannelParameters channel_parameters(const PairCall& call, const Capabilities& capabilities);

/// Posts receives where they must be posted ahead; the peer may begin when it has returned.
/// @param channel outlives the exchange
std::unique_ptr<Exchange> make_exchange(const PairCall& call, Duty duty,
                                        const Capabilities& capabilities, Channel& channel);

}  // namespace railgauge
