// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Bytes = std::vector<std::byte>;

Bytes written(Pattern& pattern, DataType type, const ElementRange& stretch) {
    Bytes bytes(stretch.count * size_of(type));
    pattern.write(stretch, bytes.data());
    return bytes;
}

/// The same as a key of a set.
std::string key(Pattern& pattern, DataType type, const ElementRange& stretch) {
    const Bytes bytes = written(pattern, type, stretch);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::vector<T> values(Pattern& pattern, const ElementRange& stretch) {
    std::vector<T> result(stretch.count);
    pattern.write(stretch, result.data());
    return result;
}

constexpr DataType every_type[] = {DataType::float32, DataType::float64, DataType::int32,
                                   DataType::int64, DataType::bytes};

class PatternOfTypeTest : public testing::TestWithParam<DataType> {};
INSTANTIATE_TEST_SUITE_P(Every, PatternOfTypeTest, testing::ValuesIn(every_type),
                         [](const auto& type) { return std::string(to_text(type.param)); });

TEST_P(PatternOfTypeTest, accepts_what_it_wrote_at_any_offset) {
    Pattern pattern(GetParam(), ReduceOperation::sum, 4);
    for (const int source : {0, 3, reduced_over_ranks}) {
        for (const std::size_t first : {0, 1, 1020, 1021, 5000}) {
            for (const std::size_t count : {0, 1, 2, 1020, 1021, 1022, 5000}) {
                const ElementRange stretch{source, 1, first, count};
                EXPECT_EQ(
                    pattern.count_wrong(stretch, written(pattern, GetParam(), stretch).data()), 0u);
            }
        }
    }
}

TEST_P(PatternOfTypeTest, a_stretch_is_the_same_alone_and_as_part_of_a_longer_one) {
    Pattern pattern(GetParam(), ReduceOperation::max, 4);
    const std::size_t size = size_of(GetParam());
    for (const int source : {2, reduced_over_ranks}) {
        const Bytes whole = written(pattern, GetParam(), {source, 0, 0, 4000});
        const Bytes part = written(pattern, GetParam(), {source, 0, 900, 300});
        EXPECT_TRUE(std::equal(part.begin(), part.end(),
                               whole.begin() + static_cast<std::ptrdiff_t>(900 * size)));
    }
}

/// Every corrupted element counts once, whatever bit of it is wrong.
TEST_P(PatternOfTypeTest, counts_corrupted_elements_exactly) {
    std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same faults every time
    Pattern pattern(GetParam(), ReduceOperation::sum, 4);
    const std::size_t size = size_of(GetParam());
    for (int repetition = 0; repetition < 100; ++repetition) {
        const ElementRange stretch{repetition % 5 - 1, static_cast<std::uint64_t>(repetition),
                                   random() % 3000, 1 + random() % 5000};
        Bytes bytes = written(pattern, GetParam(), stretch);
        std::set<std::size_t> corrupted;
        for (std::size_t i = 0; i < 1 + random() % 20; ++i) {
            const std::size_t index = random() % stretch.count;
            if (!corrupted.insert(index).second) continue;
            bytes[index * size + random() % size] ^= std::byte{1} << (random() % 8);
        }
        EXPECT_EQ(pattern.count_wrong(stretch, bytes.data()), corrupted.size());
    }
}

TEST_P(PatternOfTypeTest, counts_a_wholly_unwritten_output_as_wholly_wrong) {
    Pattern pattern(GetParam(), ReduceOperation::sum, 4);
    for (const int source : {1, reduced_over_ranks}) {
        // Longer than a byte's levels times a block, so that every value is met.
        const ElementRange stretch{source, 0, 0, 200'000};
        Bytes bytes(stretch.count * size_of(GetParam()));
        Pattern::poison(bytes.data(), bytes.size());
        EXPECT_EQ(pattern.count_wrong(stretch, bytes.data()), stretch.count);
    }
}

TEST_P(PatternOfTypeTest, tells_ranks_apart_by_a_single_element) {
    const int ranks = GetParam() == DataType::bytes ? 128 : 2048;
    Pattern pattern(GetParam(), ReduceOperation::none, ranks);
    for (const std::size_t index : {0, 1, 1500}) {
        std::set<std::string> seen;
        for (int rank = 0; rank < ranks; ++rank)
            seen.insert(key(pattern, GetParam(), {rank, 0, index, 1}));
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks));
    }
}

TEST_P(PatternOfTypeTest, tells_all_ranks_of_a_large_job_apart_by_a_hundred_elements) {
    constexpr int ranks = 3000;
    Pattern pattern(GetParam(), ReduceOperation::none, ranks);
    std::set<std::string> seen;
    for (int rank = 0; rank < ranks; ++rank)
        seen.insert(key(pattern, GetParam(), {rank, 0, 0, 100}));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks));
}

TEST_P(PatternOfTypeTest, every_element_shows_data_of_another_round) {
    Pattern pattern(GetParam(), ReduceOperation::sum, 4);
    for (const int source : {0, reduced_over_ranks}) {
        for (const std::uint64_t other : {1, 2, 50}) {
            const ElementRange stretch{source, 0, 0, 5000};
            const Bytes stale = written(pattern, GetParam(), {source, other, 0, 5000});
            EXPECT_EQ(pattern.count_wrong(stretch, stale.data()), stretch.count);
        }
    }
}

TEST_P(PatternOfTypeTest, shows_chunks_that_moved) {
    Pattern pattern(GetParam(), ReduceOperation::sum, 4);
    for (const int source : {0, reduced_over_ranks}) {
        const ElementRange stretch{source, 0, 0, 256};
        for (std::size_t shift = 1; shift <= std::size_t{1} << 40; shift *= 2) {
            for (const std::size_t by : {shift, 3 * shift, shift + 1021}) {
                const Bytes moved = written(pattern, GetParam(), {source, 0, by, 256});
                EXPECT_GT(pattern.count_wrong(stretch, moved.data()), 0u) << "moved by " << by;
            }
        }
    }
}

template <class T>
void expect_exact_reduction(DataType type, int ranks) {
    Pattern sum(type, ReduceOperation::sum, ranks);
    Pattern max(type, ReduceOperation::max, ranks);
    constexpr std::size_t count = 3000;
    std::vector<T> sums(count, T{0});
    std::vector<T> maxima(count, T{0});
    for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<T> input = values<T>(sum, {rank, 7, 100, count});
        for (std::size_t i = 0; i < count; ++i) {
            sums[i] += input[i];
            maxima[i] = std::max(maxima[i], input[i]);
        }
    }
    EXPECT_EQ(values<T>(sum, {reduced_over_ranks, 7, 100, count}), sums);
    EXPECT_EQ(values<T>(max, {reduced_over_ranks, 7, 100, count}), maxima);
}

TEST(PatternTest, knows_sums_and_maxima_exactly_at_any_number_of_ranks) {
    for (const int ranks : {1, 2, 3, 96, 1000, 4096, 5000}) {
        expect_exact_reduction<float>(DataType::float32, ranks);
        expect_exact_reduction<double>(DataType::float64, ranks);
        expect_exact_reduction<std::int32_t>(DataType::int32, ranks);
        expect_exact_reduction<std::int64_t>(DataType::int64, ranks);
    }
}

TEST(PatternTest, float32_sums_stay_within_its_whole_numbers) {
    constexpr float largest_whole = 16'777'216;
    for (const int ranks : {4096, 65'536}) {
        Pattern pattern(DataType::float32, ReduceOperation::sum, ranks);
        const auto sums = values<float>(pattern, {reduced_over_ranks, 0, 0, 3'000'000});
        EXPECT_LT(*std::max_element(sums.begin(), sums.end()), largest_whole);
    }
}

TEST(PatternTest, refuses_more_ranks_than_float32_can_sum) {
    EXPECT_THROW(Pattern(DataType::float32, ReduceOperation::sum, 65'537), Error);
}

/// A maximum that takes only some ranks' data would go unseen if these always held it.
TEST(PatternTest, every_rank_holds_the_maximum_somewhere) {
    constexpr int ranks = 8;
    Pattern pattern(DataType::int32, ReduceOperation::max, ranks);
    const auto maxima = values<std::int32_t>(pattern, {reduced_over_ranks, 0, 0, 1021});
    for (int rank = 0; rank < ranks; ++rank) {
        const auto own = values<std::int32_t>(pattern, {rank, 0, 0, 1021});
        int held = 0;
        for (std::size_t i = 0; i < own.size(); ++i)
            held += own[i] == maxima[i] ? 1 : 0;
        EXPECT_GT(held, 50);
        EXPECT_LT(held, 300);
    }
}

}  // namespace
}  // namespace railgauge
