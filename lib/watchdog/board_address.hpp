// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "watchdog/frame.hpp"

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

/// The file by which ranks that share a folder with rank 0 find its board before MPI_Init.
///
/// A file that an earlier job left behind is told by the launcher's name for the job, or, where the
/// launcher gives none, by a board that does not answer; rank 0 replaces it.
class Rendezvous {
  public:
    explicit Rendezvous(std::filesystem::path path) : path_(std::move(path)) {}

    /// Writes the file, readable by this user only, at once and whole. False when it could not: the
    /// other ranks then connect after MPI_Init.
    bool publish(const BoardAddress& address);

    /// The board of `job`, once rank 0 has published it.
    std::optional<BoardAddress> find(const std::string& job) const;

    /// Removes the file, unless another job has replaced it.
    void withdraw() noexcept;

  private:
    std::filesystem::path path_;
    std::string published_;
};

/// What the ranks of one launch have in common and other launches do not, from PMIx's or Slurm's
/// variables; empty when they say nothing.
std::string launcher_job();

}  // namespace railgauge::board
