// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/call.hpp"
#include "collectives/pattern_job.hpp"

namespace railgauge {

using PatternTable = std::array<Ingredients, block_elements>;

/// The ingredients of every rank's elements, and of their reduction (Pattern).
///
/// Dense: every rank has a residue of its own everywhere and every element carries the level. That
/// needs room: the sum of all ranks must be exact. Where the type has less, or the ranks are
/// multiplied, it is sparse: at each index four ranks hold something, others at the next index; of
/// these the first alone carries the level, and all others hold what changes nothing (of products
/// with a sign, only the sign).
class PatternTables {
  public:
    PatternTables(DataType type, ReduceOperation reduce, int ranks);

    Ingredients of_rank(int rank, std::size_t index) const {
        return is_sparse_ ? sparse(rank, index) : Ingredients{residue(rank, index), 1};
    }

    /// Needs a reduction.
    PatternTable reduced() const;

    /// Levels are at least 1: an input that was not reduced is then smaller than any sum of two.
    LevelRule levels(std::uint64_t round) const;

  private:
    struct Range {
        std::int32_t residues;     ///< a power of two
        std::int32_t levels;       ///< a prime
        std::uint32_t multiplier;  ///< odd, near residues / golden ratio: spreads ranks evenly
        std::uint32_t block_step;  ///< no multiple of levels, as round_step
        std::uint32_t round_step;
    };
    static const std::array<Range, 5> ranges;

    void choose();
    std::int64_t largest_weight() const;
    std::int32_t residue(int rank, std::size_t index) const;
    Ingredients sparse(int rank, std::size_t index) const;
    Ingredients combine(Ingredients total, Ingredients next, int rank) const;

    DataType type_;
    ReduceOperation reduce_;
    int ranks_;
    bool is_sparse_ = false;
    std::uint32_t holders_ = 0;  ///< ranks that hold something at an index of a sparse pattern
    Range range_{};
};

}  // namespace railgauge
