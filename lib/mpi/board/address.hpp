// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi/board/frame.hpp"

namespace railgauge::board {

/// No board offers more; a machine may have hundreds.
inline constexpr std::size_t most_addresses = 16;

/// Where rank 0's board listens, and what proves to it that a connection is one of the job's ranks.
struct BoardAddress {
    std::vector<std::string>
        addresses;  ///< numeric, best first; `fe80::1%eth0` for link-local ones
    std::uint16_t port = 0;
    Token token{};
    std::string job;   ///< the launcher's name for the job; empty = it has none
    std::string host;  ///< rank 0's; loopback addresses are for ranks on the same host only
};

/// From the kernel's random numbers.
Token make_token();

/// One line of JSON.
std::string to_text(const BoardAddress& address);

/// Nothing when `text` is no address of a board.
std::optional<BoardAddress> parse_board_address(const std::string& text);

/// The addresses that a rank on `host` should try, in order.
std::vector<std::string> addresses_for(const BoardAddress& address, const std::string& host);

}  // namespace railgauge::board
