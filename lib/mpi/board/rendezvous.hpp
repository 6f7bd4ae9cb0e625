// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mpi/board/address.hpp"

namespace railgauge::board {

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
