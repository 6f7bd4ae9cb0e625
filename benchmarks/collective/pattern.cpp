// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

/// Elements that share a level. Prime; 1021 residues and their elements stay in the nearest cache.
constexpr std::size_t block_elements = 1021;

constexpr int most_ranks = 65'536;
constexpr int most_ranks_of_wide_values = 4'096;

/// Spreads the bits of a small key over all bits (xor-shift and multiply, as in MurmurHash3's end).
std::uint32_t scatter(std::uint32_t key) {
    key *= 0x9e3779b1u;
    key ^= key >> 15;
    key *= 0x85ebca6bu;
    return key ^ (key >> 13);
}

template <class T>
void write_values(const std::int32_t* residues, std::int32_t level, std::size_t count, void* out) {
    T* const values = static_cast<T*>(out);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(residues[i] + level);
}

void write_values(DataType type, const std::int32_t* residues, std::int32_t level,
                  std::size_t count, void* out) {
    switch (type) {
        case DataType::float32: return write_values<float>(residues, level, count, out);
        case DataType::float64: return write_values<double>(residues, level, count, out);
        case DataType::int32: return write_values<std::int32_t>(residues, level, count, out);
        case DataType::int64: return write_values<std::int64_t>(residues, level, count, out);
        case DataType::bytes: return write_values<std::uint8_t>(residues, level, count, out);
    }
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
        case 4: return count_different<std::uint32_t>(a, b, count);
        default: return count_different<std::uint64_t>(a, b, count);
    }
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
      range_(choose_range(type, ranks)),
      single_(block_elements),
      expected_(block_elements * size_of(type)) {
    if (ranks > most_ranks) {
        throw Error(ExitCode::usage, fmt::format("{} ranks cannot be verified", ranks),
                    "float32 sums of more than 65536 ranks would round",
                    "measure with fewer ranks");
    }
    if (reduce != ReduceOperation::none) fill_reduced_residues();
}

Pattern::Range Pattern::choose_range(DataType type, int ranks) {
    // Wide values tell 2048 ranks apart by a single element, narrow ones 128.
    const bool narrow = size_of(type) == 1 || ranks > most_ranks_of_wide_values;
    return narrow ? Range{128, 127, 79} : Range{2048, 2039, 1265};
}

std::int32_t Pattern::residue(int rank, std::size_t index) const {
    const auto number = static_cast<std::uint32_t>(rank);
    const auto residues = static_cast<std::uint32_t>(range_.residues);
    // Ranks beyond `residues` repeat the multiples, so they get another scatter.
    const std::uint32_t key = static_cast<std::uint32_t>(index) +
                              number / residues * static_cast<std::uint32_t>(block_elements);
    return static_cast<std::int32_t>((number * range_.multiplier + scatter(key)) & (residues - 1));
}

std::int32_t Pattern::level(const ElementRange& stretch, std::size_t block) const {
    const std::uint64_t step = range_.multiplier;
    const auto levels = static_cast<std::uint64_t>(range_.levels);
    const std::uint64_t rounds = stretch.round % levels * (step + 2);
    // At least 1: an input that was not reduced is then smaller than any sum of two.
    const auto level = static_cast<std::int32_t>((block % levels * step + rounds) % levels + 1);
    const bool sum = stretch.source == reduced_over_ranks && reduce_ == ReduceOperation::sum;
    return sum ? level * ranks_ : level;
}

void Pattern::fill_reduced_residues() {
    reduced_.assign(block_elements, 0);
    for (int rank = 0; rank < ranks_; ++rank) {
        for (std::size_t i = 0; i < block_elements; ++i) {
            const std::int32_t value = residue(rank, i);
            reduced_[i] = reduce_ == ReduceOperation::sum ? reduced_[i] + value
                                                          : std::max(reduced_[i], value);
        }
    }
}

const std::int32_t* Pattern::residues_of(const ElementRange& stretch) {
    if (stretch.source == reduced_over_ranks) return reduced_.data();
    const std::size_t needed = std::min(stretch.count, block_elements);
    std::size_t index = stretch.first % block_elements;
    for (std::size_t i = 0; i < needed; ++i) {
        single_[index] = residue(stretch.source, index);
        if (++index == block_elements) index = 0;
    }
    return single_.data();
}

void Pattern::write(const ElementRange& stretch, void* out) {
    const std::int32_t* const residues = residues_of(stretch);
    auto* const bytes = static_cast<std::byte*>(out);
    for_each_block(stretch,
                   [&](std::size_t block, std::size_t within, std::size_t done, std::size_t count) {
                       write_values(type_, residues + within, level(stretch, block), count,
                                    bytes + done * size_of(type_));
                   });
}

std::uint64_t Pattern::count_wrong(const ElementRange& stretch, const void* data) {
    const std::int32_t* const residues = residues_of(stretch);
    const auto* const bytes = static_cast<const std::byte*>(data);
    std::uint64_t wrong = 0;
    for_each_block(
        stretch, [&](std::size_t block, std::size_t within, std::size_t done, std::size_t count) {
            write_values(type_, residues + within, level(stretch, block), count, expected_.data());
            wrong += count_different(size_of(type_), expected_.data(),
                                     bytes + done * size_of(type_), count);
        });
    return wrong;
}

void Pattern::poison(void* out, std::size_t bytes) {
    std::memset(out, 0xff, bytes);
}

}  // namespace railgauge
