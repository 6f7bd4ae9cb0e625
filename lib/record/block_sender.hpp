// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "measure/sample.hpp"
#include "record/rank_share.hpp"

namespace railgauge {

/// Fills the blocks of a rank's share of a case.
class BlockSender {
  public:
    /// @param samples null = none
    /// @param shift_ns added to start_ns: from this rank's clock to the common clock
    BlockSender(const RankShare& share, const SampleSource* samples,
                std::span<const Cell> observations, std::int64_t shift_ns)
        : share_(share), samples_(samples), observations_(observations), shift_ns_(shift_ns) {}

    /// @param out share.cells_of(block) cells; their status says "failed" until all are filled
    /// @throws whatever reading the samples throws
    void fill(std::uint64_t block, std::span<Cell> out) const;

  private:
    void fill_rows(std::uint64_t block, std::span<Cell> out) const;

    const RankShare& share_;
    const SampleSource* samples_;
    std::span<const Cell> observations_;
    std::int64_t shift_ns_;
};

}  // namespace railgauge
