// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/error.hpp"
#include "collectives/element.hpp"

namespace railgauge {
namespace {

constexpr int most_ranks = 65'536;

/// Elements that are only moved need no arithmetic of their type: an unsigned integer of its width
/// has more values.
DataType stored_type(DataType type, ReduceOperation reduce) {
    if (reduce != ReduceOperation::none) return type;
    switch (size_of(type)) {
        case 1: return DataType::uint8;
        case 2: return DataType::float16;
        case 4: return DataType::int32;
        default: return DataType::int64;
    }
}

/// A part of a block: its ingredients, its level, and what sums are divided by.
struct Stretch {
    const Ingredients* ingredients;
    std::int32_t level;
    int divisor;
    std::size_t count;

    std::int64_t whole(std::size_t i) const {
        return ingredients[i].residue + std::int64_t{level} * ingredients[i].weight;
    }
};

template <class Element>
void write_values(const Stretch& piece, void* out) {
    auto* const values = static_cast<typename Element::Stored*>(out);
    if (piece.divisor == 1) {
        for (std::size_t i = 0; i < piece.count; ++i) {
            values[i] = Element::from_whole(piece.ingredients[i].residue +
                                            piece.level * piece.ingredients[i].weight);
        }
        return;
    }
    for (std::size_t i = 0; i < piece.count; ++i)
        values[i] = Element::from_whole(piece.whole(i) / piece.divisor);
}

/// Bits are compared, so that NaN is different and a negative zero is not zero.
template <class Bits>
std::uint64_t count_different(const void* a, const void* b, std::size_t count) {
    const Bits* const left = static_cast<const Bits*>(a);
    const Bits* const right = static_cast<const Bits*>(b);
    std::uint32_t different = 0;
    for (std::size_t i = 0; i < count; ++i)
        different += left[i] != right[i] ? 1u : 0u;
    return different;
}

std::uint64_t count_different(std::size_t element_bytes, const void* a, const void* b,
                              std::size_t count) {
    // The C library's comparison is twice as fast as counting, and nearly always all there is to
    // do.
    if (std::memcmp(a, b, count * element_bytes) == 0) return 0;
    switch (element_bytes) {
        case 1: return count_different<std::uint8_t>(a, b, count);
        case 2: return count_different<std::uint16_t>(a, b, count);
        case 4: return count_different<std::uint32_t>(a, b, count);
        default: return count_different<std::uint64_t>(a, b, count);
    }
}

/// Elements further from whole / divisor than `tolerance` of it; NaN is.
template <class Element>
std::uint64_t count_far(const Stretch& piece, double tolerance, const void* data) {
    const auto* const values = static_cast<const typename Element::Stored*>(data);
    std::uint64_t far = 0;
    for (std::size_t i = 0; i < piece.count; ++i) {
        const double expected = static_cast<double>(piece.whole(i)) / piece.divisor;
        const double error = std::abs(Element::to_double(values[i]) - expected);
        far += error <= tolerance * expected ? 0u : 1u;
    }
    return far;
}

/// Cuts a stretch where levels change: use(block, index in the block, offset in the stretch,
/// count).
template <class Use>
void for_each_block(const ElementRange& stretch, Use use) {
    std::size_t done = 0;
    while (done < stretch.count) {
        const std::size_t index = stretch.first + done;
        const std::size_t within = index % block_elements;
        const std::size_t count = std::min(block_elements - within, stretch.count - done);
        use(index / block_elements, within, done, count);
        done += count;
    }
}

}  // namespace

Pattern::Pattern(DataType type, ReduceOperation reduce, int ranks)
    : type_(type),
      reduce_(reduce),
      ranks_(ranks),
      stored_(stored_type(type, reduce)),
      tables_(stored_, reduce, ranks),
      expected_(block_elements * size_of(type)) {
    if (ranks > most_ranks) {
        throw Error(ExitCode::usage, fmt::format("{} ranks cannot be verified", ranks),
                    "float32 sums of more than 65536 ranks would round",
                    "measure with fewer ranks");
    }
    if (reduce != ReduceOperation::none) reduced_ = tables_.reduced();
}

const PatternTable& Pattern::table_of(const ElementRange& stretch) {
    if (stretch.source == reduced_over_ranks) return reduced_;
    const std::size_t needed = std::min(stretch.count, block_elements);
    std::size_t index = stretch.first % block_elements;
    for (std::size_t i = 0; i < needed; ++i) {
        single_[index] = tables_.of_rank(stretch.source, index);
        if (++index == block_elements) index = 0;
    }
    return single_;
}

int Pattern::divisor_of(const ElementRange& stretch) const {
    const bool is_mean = stretch.source == reduced_over_ranks && reduce_ == ReduceOperation::avg;
    return is_mean ? ranks_ : 1;
}

void Pattern::write(const ElementRange& stretch, void* out) {
    const PatternTable& table = table_of(stretch);
    const int divisor = divisor_of(stretch);
    auto* const bytes = static_cast<std::byte*>(out);
    with_element(stored_, [&]<class Element>(Element) {
        for_each_block(stretch, [&](std::size_t block, std::size_t within, std::size_t done,
                                    std::size_t count) {
            const std::int32_t level = tables_.level(stretch.round, block);
            write_values<Element>({&table[within], level, divisor, count},
                                  bytes + done * size_of(type_));
        });
    });
}

std::uint64_t Pattern::count_wrong(const ElementRange& stretch, const void* data) {
    const PatternTable& table = table_of(stretch);
    const int divisor = divisor_of(stretch);
    const double roundoff = row_of(stored_).unit_roundoff;
    const bool is_rounded = divisor != 1 && roundoff > 0;
    const auto* const bytes = static_cast<const std::byte*>(data);
    std::uint64_t wrong = 0;
    with_element(stored_, [&]<class Element>(Element) {
        for_each_block(stretch, [&](std::size_t block, std::size_t within, std::size_t done,
                                    std::size_t count) {
            const Stretch piece{&table[within], tables_.level(stretch.round, block), divisor,
                                count};
            const std::byte* const found = bytes + done * size_of(type_);
            if (is_rounded) {
                wrong += count_far<Element>(piece, (ranks_ + 2) * roundoff, found);
                return;
            }
            write_values<Element>(piece, expected_.data());
            wrong += count_different(size_of(type_), expected_.data(), found, count);
        });
    });
    return wrong;
}

void Pattern::poison(void* out, std::size_t bytes) {
    std::memset(out, 0xff, bytes);
}

}  // namespace railgauge
