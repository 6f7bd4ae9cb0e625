// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern_tables.hpp"

#include <algorithm>

namespace railgauge {
namespace {

/// Spreads the bits of a small key over all bits (xor-shift and multiply, as in MurmurHash3's end).
std::uint32_t scatter(std::uint32_t key) {
    key *= 0x9e3779b1u;
    key ^= key >> 15;
    key *= 0x85ebca6bu;
    return key ^ (key >> 13);
}

/// The largest of these primes that is not above `most`.
std::int32_t prime_up_to(std::int64_t most) {
    constexpr std::array<std::int32_t, 11> primes{2039, 1021, 509, 251, 127, 61, 31, 13, 7, 5, 3};
    const auto found = std::find_if(primes.begin(), primes.end(),
                                    [&](std::int32_t prime) { return prime <= most; });
    return found == primes.end() ? 2 : *found;
}

bool has_sign(DataType type) {
    return row_of(type).kind == NumberKind::floating;
}

}  // namespace

// Wide values tell 2048 ranks apart by a single element, narrower ones fewer.
const std::array<PatternTables::Range, 5> PatternTables::ranges{{{2048, 2039, 1265, 1265, 1267},
                                                                 {128, 127, 79, 79, 81},
                                                                 {32, 31, 19, 19, 21},
                                                                 {8, 7, 5, 5, 3},
                                                                 {4, 5, 3, 3, 2}}};

PatternTables::PatternTables(DataType type, ReduceOperation reduce, int ranks)
    : type_(type), reduce_(reduce), ranks_(ranks) {
    choose();
}

/// What the largest value of a rank is multiplied by in the reduction.
std::int64_t PatternTables::largest_weight() const {
    switch (reduce_) {
        case ReduceOperation::sum:
        case ReduceOperation::avg: return ranks_;
        case ReduceOperation::mulsum: return std::int64_t{2} * ranks_;
        default: return 1;
    }
}

void PatternTables::choose() {
    const std::int64_t most = row_of(type_).most_whole / largest_weight();
    const auto fits = [&](const Range& range) { return range.residues - 1 + range.levels <= most; };
    const auto* const dense = std::find_if(ranges.begin(), ranges.end(), fits);
    is_sparse_ = reduce_ == ReduceOperation::prod || dense == ranges.end();
    if (!is_sparse_) {
        range_ = *dense;
        return;
    }
    const bool doubles = reduce_ == ReduceOperation::mulsum;
    const std::int64_t room = row_of(type_).most_whole / (doubles ? 2 : 1);
    holders_ = room < 8 ? 2 : 4;
    // Of a sum, all holders but the first may add 1. A product's odd part is 1 + 2 x level; its
    // power of two, at most 2^3, takes room of an integer only.
    const bool multiplies = reduce_ == ReduceOperation::prod;
    const bool is_integer = row_of(type_).kind == NumberKind::integer;
    const std::int64_t levels =
        multiplies ? (room / (is_integer ? 8 : 1) - 1) / 2 : room - holders_ + 1;
    range_ = {2, prime_up_to(levels), 1, 1, 2};
    if (range_.levels == 2) range_.round_step = 1;
}

std::int32_t PatternTables::residue(int rank, std::size_t index) const {
    const auto number = static_cast<std::uint32_t>(rank);
    const auto residues = static_cast<std::uint32_t>(range_.residues);
    // Ranks beyond `residues` repeat the multiples, so they get another scatter.
    const std::uint32_t key = static_cast<std::uint32_t>(index) +
                              number / residues * static_cast<std::uint32_t>(block_elements);
    return static_cast<std::int32_t>((number * range_.multiplier + scatter(key)) & (residues - 1));
}

Ingredients PatternTables::sparse(int rank, std::size_t index) const {
    const auto ranks = static_cast<std::uint32_t>(ranks_);
    const auto number = static_cast<std::uint32_t>(rank);
    const std::uint32_t first = scatter(static_cast<std::uint32_t>(index)) % ranks;
    const std::uint32_t distance = (number + ranks - first) % ranks;
    const bool multiplies = reduce_ == ReduceOperation::prod;
    if (distance == 0) return multiplies ? Ingredients{1, 2} : Ingredients{0, 1};
    const std::uint32_t bits = scatter(static_cast<std::uint32_t>(index) * ranks + number);
    const std::int32_t one = distance < holders_ ? static_cast<std::int32_t>(bits & 1) : 0;
    if (!multiplies) return {one, 0};
    const bool negative = has_sign(type_) && (bits & 2) != 0;
    return {negative ? -(1 + one) : 1 + one, 0};
}

Ingredients PatternTables::combine(Ingredients total, Ingredients next, int rank) const {
    switch (reduce_) {
        case ReduceOperation::min: return {std::min(total.residue, next.residue), 1};
        case ReduceOperation::max: return {std::max(total.residue, next.residue), 1};
        case ReduceOperation::prod:  // at most one of the two carries the level
            return {total.residue * next.residue,
                    total.residue * next.weight + total.weight * next.residue};
        default: break;
    }
    const int factor = reduce_ == ReduceOperation::mulsum ? mulsum_factor(rank) : 1;
    return {total.residue + factor * next.residue, total.weight + factor * next.weight};
}

PatternTable PatternTables::reduced() const {
    PatternTable table;
    for (std::size_t index = 0; index < block_elements; ++index) {
        Ingredients total = of_rank(0, index);  // mulsum_factor(0) is 1
        for (int rank = 1; rank < ranks_; ++rank)
            total = combine(total, of_rank(rank, index), rank);
        table[index] = total;
    }
    return table;
}

LevelRule PatternTables::levels(std::uint64_t round) const {
    const auto levels = static_cast<std::uint32_t>(range_.levels);
    return {levels, range_.block_step % levels,
            static_cast<std::uint32_t>(round % levels) * range_.round_step % levels};
}

}  // namespace railgauge
