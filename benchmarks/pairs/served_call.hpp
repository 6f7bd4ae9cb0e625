// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pairs/plan.hpp"

namespace railgauge {

/// What a rank asks of a receiver outside the job, between operations: frames of JSON text. While
/// it measures it says nothing.

/// Payload keys of the receiver's bytes: a number that no rank has.
inline constexpr int outside_sender = -1;

/// Make a buffer for this and connect; the receiver answers operations from then on.
struct PrepareCommand {
    PairCall call{PairOperation::bandwidth, Direction::forward, 0, 1};
    std::string memory;  ///< where the rank expects the receiver's buffer
    int rank = 0;
};

/// Verify an operation together, once `answers` have been answered since the connection.
struct CheckCommand {
    std::uint64_t round = 0;
    std::int64_t answers = 0;
};

/// Disconnect, once `answers` have been answered.
struct EndCommand {
    std::int64_t answers = 0;
};

/// The session is over.
struct LeaveCommand {};

using ServedCommand = std::variant<PrepareCommand, CheckCommand, EndCommand, LeaveCommand>;

/// The answer to a command; and, at any time, why the session ends.
struct ServedReply {
    std::string error{};      ///< empty = done
    bool is_refusal = false;  ///< the session goes on: this case cannot be done here
    bool is_full = false;     ///< there is no session; perhaps later
    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;
};

inline constexpr std::size_t most_command_bytes = 8192;

/// The direction in which a receiver that only answers is measured: payload goes where the rank
/// moves it. @throws Error(usage) for verb send
Direction served_direction(PairOperation operation, Verb verb);

std::vector<std::byte> encode(const ServedCommand& command);
std::vector<std::byte> encode(const ServedReply& reply);

/// Neither trusts what it reads: every key is known, every number in its range.
/// @throws Error(library) that says what is wrong
ServedCommand decode_command(std::span<const std::byte> frame);
ServedReply decode_reply(std::span<const std::byte> frame);

}  // namespace railgauge
