// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/data_type.hpp"
#include "collectives/element.hpp"

namespace railgauge {

/// Elements that share a level. Prime; so many residues and elements stay in the nearest cache.
inline constexpr std::size_t block_elements = 1021;

/// What a value is made of: residue + level x weight.
struct Ingredients {
    std::int32_t residue = 0;
    std::int32_t weight = 0;
};

/// The levels of blocks: level(block) = (block x step + shift) mod levels + 1.
struct LevelRule {
    std::uint32_t levels = 1;
    std::uint32_t step = 0;  ///< below levels
    std::uint32_t shift = 0;

    constexpr std::int32_t level(std::uint64_t block) const {
        return static_cast<std::int32_t>((block % levels * step + shift) % levels + 1);
    }
};

/// A stretch of known elements, in words that fit through a kernel's arguments: element i is that
/// of index first + i in the vector it was cut from.
struct PatternJob {
    DataType type;             ///< what elements are stored as
    const Ingredients* table;  ///< block_elements of them, where the work is done
    LevelRule rule;
    std::int32_t divisor = 1;  ///< of averages
    double tolerance = -1;     ///< relative; negative = every bit counts
    std::uint64_t first = 0;
    std::uint64_t count = 0;

    /// Before the division.
    constexpr std::int64_t whole(std::uint64_t i) const {
        const Ingredients& parts = table[(first + i) % block_elements];
        return parts.residue +
               std::int64_t{rule.level((first + i) / block_elements)} * parts.weight;
    }
};

/// Writes elements begin, begin + stride, ... of the job. As all of this file it runs on the host
/// and, compiled by nvcc, on the GPU.
template <class Element>
constexpr void fill_elements(const PatternJob& job, typename Element::Stored* out,
                             std::uint64_t begin, std::uint64_t stride) {
    for (std::uint64_t i = begin; i < job.count; i += stride)
        out[i] = Element::from_whole(job.whole(i) / job.divisor);
}

/// Whether `found` is not element i. A negative zero is not zero, and NaN is nothing.
template <class Element>
constexpr bool is_wrong(const PatternJob& job, std::uint64_t i, typename Element::Stored found) {
    const std::int64_t whole = job.whole(i);
    const double value = Element::to_double(found);
    if (job.tolerance < 0) {
        const auto expected = Element::from_whole(whole / job.divisor);
        return !Element::same_bits(found, expected);
    }
    const double expected = static_cast<double>(whole) / job.divisor;
    const double error = value < expected ? expected - value : value - expected;
    return !(error <= job.tolerance * expected);
}

/// Of elements begin, begin + stride, ..., those that are wrong.
template <class Element>
constexpr std::uint64_t count_wrong_elements(const PatternJob& job,
                                             const typename Element::Stored* data,
                                             std::uint64_t begin, std::uint64_t stride) {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = begin; i < job.count; i += stride)
        wrong += is_wrong<Element>(job, i, data[i]) ? 1 : 0;
    return wrong;
}

}  // namespace railgauge
