// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/call.hpp"

namespace railgauge {

/// Whose elements: one rank's, or those that the reduction over all ranks gives.
inline constexpr int reduced_over_ranks = -1;

/// A stretch of known elements.
struct ElementRange {
    int source = 0;  ///< a rank, or reduced_over_ranks
    std::uint64_t round = 0;
    std::size_t first = 0;  ///< index in the source's vector
    std::size_t count = 0;
};

/// The data of check rounds: element i of rank r in a round, and what any reduction makes of it,
/// are known exactly, so that a swapped rank, a shifted chunk, a buffer of an earlier round or an
/// operation that did not run shows.
///
///     value(r, round, i) = residue(r, i mod 1021) + level(round, i / 1021)
///
/// Residues differ between ranks and scatter over the index; levels differ between neighbouring
/// blocks of 1021 elements and between rounds. Both moduli are primes, so that no chunk of a
/// power of two repeats its neighbour. The sum over ranks is then a table of 1021 entries plus n
/// levels, whatever n is. All values are small integers: sums are exact in every type (float32: n x
/// 4086 < 2^24), and none has the bits of the poison.
class Pattern {
  public:
    /// @throws Error(usage) above 65,536 ranks, where float32 sums would round
    Pattern(DataType type, ReduceOperation reduce, int ranks);

    bool is_for(DataType type, ReduceOperation reduce) const {
        return type == type_ && reduce == reduce_;
    }

    /// Writes the stretch's elements to `out`.
    void write(const ElementRange& stretch, void* out);

    /// Elements of `data` that differ from the stretch.
    std::uint64_t count_wrong(const ElementRange& stretch, const void* data);

    /// Marks `bytes` of an output as not yet written; no value has these bits in any type.
    static void poison(void* out, std::size_t bytes);

  private:
    struct Range {
        std::int32_t residues;     ///< a power of two
        std::int32_t levels;       ///< a prime
        std::uint32_t multiplier;  ///< odd, near residues / golden ratio: spreads ranks evenly
    };

    static Range choose_range(DataType type, int ranks);
    std::int32_t residue(int rank, std::size_t index) const;
    std::int32_t level(const ElementRange& stretch, std::size_t block) const;
    void fill_reduced_residues();
    const std::int32_t* residues_of(const ElementRange& stretch);

    DataType type_;
    ReduceOperation reduce_;
    int ranks_;
    Range range_;
    std::vector<std::int32_t> reduced_;  ///< residues of the reduction; empty without one
    std::vector<std::int32_t> single_;  ///< residues of one rank, as far as the last stretch needed
    std::vector<std::byte> expected_;   ///< one block
};

}  // namespace railgauge
