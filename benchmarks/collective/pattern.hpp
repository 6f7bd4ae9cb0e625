// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collective/pattern_tables.hpp"
#include "collectives/call.hpp"
#include "collectives/pattern_engine.hpp"

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
/// are known, so that a swapped rank, a shifted chunk, a buffer of an earlier round or an operation
/// that did not run shows.
///
///     value(r, round, i) = residue(r, i mod 1021) + level(round, i / 1021) x weight(r, i mod 1021)
///
/// and so has the reduction, with tables of its own. Residues differ between ranks and scatter over
/// the index; levels differ between neighbouring blocks of 1021 elements and between rounds. Both
/// moduli are primes, so that no chunk of a power of two repeats its neighbour. The tables are
/// those of PatternTables; every sum, in any order, is a whole number that the type holds exactly,
/// and no value has the bits of the poison. Only an average of a floating type is not exact: its
/// elements may be off by (n + 2) unit roundoffs of the type, for n ranks (one for 1/n, one for
/// each product and each of n - 1 sums of non-negative numbers).
class Pattern {
  public:
    /// @param engine works where the buffers are; outlives the pattern
    /// @throws Error(usage) above 65,536 ranks, where float32 sums would round
    Pattern(PatternEngine& engine, DataType type, ReduceOperation reduce, int ranks);

    bool is_for(DataType type, ReduceOperation reduce) const {
        return type == type_ && reduce == reduce_;
    }

    /// Writes the stretch's elements to `out`.
    void write(const ElementRange& stretch, void* out);

    /// Elements of `data` that differ from the stretch.
    std::uint64_t count_wrong(const ElementRange& stretch, const void* data);

    /// Marks `bytes` of an output as not yet written; no value has these bits in any type.
    void poison(void* out, std::size_t bytes) { engine_.set_bytes(out, 0xff, bytes); }

    /// Makes `bytes` of a buffer zeros of any type.
    void clear(void* out, std::size_t bytes) { engine_.set_bytes(out, 0, bytes); }

  private:
    const PatternTable& table_of(const ElementRange& stretch);
    PatternJob job_of(const ElementRange& stretch);

    PatternEngine& engine_;
    DataType type_;
    ReduceOperation reduce_;
    int ranks_;
    DataType stored_;  ///< what elements are written as
    PatternTables tables_;
    PatternTable reduced_{};  ///< of the reduction, if there is one
    PatternTable single_{};   ///< of one rank, as far as the last stretch needed
};

}  // namespace railgauge
