// SPDX-License-Identifier: Apache-2.0
#include "collective/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collectives/element.hpp"

namespace railgauge {
namespace {

using Bytes = std::vector<std::byte>;

PatternEngine& engine() {
    static const auto host = make_host_pattern_engine();
    return *host;
}

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

std::vector<DataType> every_type() {
    std::vector<DataType> types;
    for (const std::string& name : data_type_names())
        types.push_back(parse_data_type(name));
    return types;
}

/// How a test without a reduction of its own writes elements of the type.
ReduceOperation sum_of(DataType type) {
    return type == DataType::bytes ? ReduceOperation::none : ReduceOperation::sum;
}

int result_of(DataType type) {
    return type == DataType::bytes ? 0 : reduced_over_ranks;
}

std::vector<int> sources_of(DataType type) {
    return type == DataType::bytes ? std::vector<int>{0, 3}
                                   : std::vector<int>{0, 3, reduced_over_ranks};
}

class PatternOfTypeTest : public testing::TestWithParam<DataType> {};
INSTANTIATE_TEST_SUITE_P(Every, PatternOfTypeTest, testing::ValuesIn(every_type()),
                         [](const auto& type) { return std::string(to_text(type.param)); });

TEST_P(PatternOfTypeTest, accepts_what_it_wrote_at_any_offset) {
    Pattern pattern(engine(), GetParam(), sum_of(GetParam()), 4);
    for (const int source : sources_of(GetParam())) {
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
    const bool moves = GetParam() == DataType::bytes;
    Pattern pattern(engine(), GetParam(), moves ? ReduceOperation::none : ReduceOperation::max, 4);
    const std::size_t size = size_of(GetParam());
    for (const int source : sources_of(GetParam())) {
        const Bytes whole = written(pattern, GetParam(), {source, 0, 0, 4000});
        const Bytes part = written(pattern, GetParam(), {source, 0, 900, 300});
        EXPECT_TRUE(std::equal(part.begin(), part.end(),
                               whole.begin() + static_cast<std::ptrdiff_t>(900 * size)));
    }
}

/// Every corrupted element counts once, whatever bit of it is wrong.
TEST_P(PatternOfTypeTest, counts_corrupted_elements_exactly) {
    std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same faults every time
    Pattern pattern(engine(), GetParam(), sum_of(GetParam()), 4);
    const std::size_t size = size_of(GetParam());
    for (int repetition = 0; repetition < 100; ++repetition) {
        const ElementRange stretch{repetition % 4, static_cast<std::uint64_t>(repetition),
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
    Pattern pattern(engine(), GetParam(), sum_of(GetParam()), 4);
    for (const int source : sources_of(GetParam())) {
        // Longer than a byte's levels times a block, so that every value is met.
        const ElementRange stretch{source, 0, 0, 200'000};
        Bytes bytes(stretch.count * size_of(GetParam()));
        pattern.poison(bytes.data(), bytes.size());
        EXPECT_EQ(pattern.count_wrong(stretch, bytes.data()), stretch.count);
    }
}

TEST_P(PatternOfTypeTest, tells_ranks_apart_by_a_single_element) {
    const int ranks = size_of(GetParam()) <= 2 ? 128 : 2048;
    Pattern pattern(engine(), GetParam(), ReduceOperation::none, ranks);
    for (const std::size_t index : {0, 1, 1500}) {
        std::set<std::string> seen;
        for (int rank = 0; rank < ranks; ++rank)
            seen.insert(key(pattern, GetParam(), {rank, 0, index, 1}));
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks));
    }
}

TEST_P(PatternOfTypeTest, tells_all_ranks_of_a_large_job_apart_by_a_hundred_elements) {
    constexpr int ranks = 3000;
    Pattern pattern(engine(), GetParam(), ReduceOperation::none, ranks);
    std::set<std::string> seen;
    for (int rank = 0; rank < ranks; ++rank)
        seen.insert(key(pattern, GetParam(), {rank, 0, 0, 100}));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks));
}

TEST_P(PatternOfTypeTest, every_element_shows_data_of_another_round) {
    Pattern pattern(engine(), GetParam(), sum_of(GetParam()), 4);
    const ElementRange stretch{result_of(GetParam()), 0, 0, 5000};
    // Types of few values run out of levels for later rounds; a case has two.
    for (const std::uint64_t other : {1, 2}) {
        const Bytes stale = written(pattern, GetParam(), {stretch.source, other, 0, 5000});
        EXPECT_EQ(pattern.count_wrong(stretch, stale.data()), stretch.count);
    }
}

TEST_P(PatternOfTypeTest, shows_chunks_that_moved) {
    Pattern pattern(engine(), GetParam(), sum_of(GetParam()), 4);
    for (const int source : sources_of(GetParam())) {
        const ElementRange stretch{source, 0, 0, 256};
        for (std::size_t shift = 1; shift <= std::size_t{1} << 40; shift *= 2) {
            for (const std::size_t by : {shift, 3 * shift, shift + 1021}) {
                const Bytes moved = written(pattern, GetParam(), {source, 0, by, 256});
                EXPECT_GT(pattern.count_wrong(stretch, moved.data()), 0u) << "moved by " << by;
            }
        }
    }
}

struct Reduction {
    DataType type;
    ReduceOperation reduce;
};

std::vector<Reduction> every_reduction() {
    std::vector<Reduction> all;
    for (const DataType type : every_type()) {
        for (const std::string& name : reduce_operation_names()) {
            const ReduceOperation reduce = parse_reduce_operation(name);
            if (type != DataType::bytes && reduce != ReduceOperation::none)
                all.push_back({type, reduce});
        }
    }
    return all;
}

class ReductionTest : public testing::TestWithParam<Reduction> {};
INSTANTIATE_TEST_SUITE_P(Every, ReductionTest, testing::ValuesIn(every_reduction()),
                         [](const auto& reduction) {
                             return fmt::format("{}_{}", to_text(reduction.param.reduce),
                                                to_text(reduction.param.type));
                         });

std::vector<double> as_doubles(Pattern& pattern, DataType type, const ElementRange& stretch) {
    return with_element(type, [&]<class Element>(Element) {
        std::vector<double> result;
        for (const auto stored : values<typename Element::Stored>(pattern, stretch))
            result.push_back(Element::to_double(stored));
        return result;
    });
}

double reduce_two(ReduceOperation reduce, double total, double next, int rank) {
    switch (reduce) {
        case ReduceOperation::prod: return total * next;
        case ReduceOperation::min: return std::min(total, next);
        case ReduceOperation::max: return std::max(total, next);
        case ReduceOperation::mulsum: return total + mulsum_factor(rank) * next;
        default: return total + next;
    }
}

/// Reduces the ranks' inputs in double and tells whether the type can hold every partial result.
std::vector<double> reduce_inputs(Pattern& pattern, const Reduction& reduction, int ranks,
                                  const ElementRange& of) {
    std::vector<double> total =
        as_doubles(pattern, reduction.type, {0, of.round, of.first, of.count});
    const bool is_integer = row_of(reduction.type).kind == NumberKind::integer;
    for (int rank = 1; rank < ranks; ++rank) {
        const auto input =
            as_doubles(pattern, reduction.type, {rank, of.round, of.first, of.count});
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] = reduce_two(reduction.reduce, total[i], input[i], rank);
            if (is_integer) {
                EXPECT_LE(total[i], row_of(reduction.type).most_whole);
            }
        }
    }
    if (reduction.reduce != ReduceOperation::avg) return total;
    for (double& value : total)
        value = is_integer ? std::floor(value / ranks) : value / ranks;
    return total;
}

TEST_P(ReductionTest, is_known_exactly_at_any_number_of_ranks) {
    for (const int ranks : {1, 2, 3, 8, 96, 1000}) {
        Pattern pattern(engine(), GetParam().type, GetParam().reduce, ranks);
        const ElementRange result{reduced_over_ranks, 7, 100, 2000};
        const auto expected = reduce_inputs(pattern, GetParam(), ranks, result);
        const auto known = as_doubles(pattern, GetParam().type, result);
        if (GetParam().reduce == ReduceOperation::avg) continue;  // is_close below
        ASSERT_EQ(known, expected) << ranks << " ranks";
    }
}

TEST_P(ReductionTest, sees_a_rank_whose_data_did_not_arrive) {
    constexpr int ranks = 4;  // no more than the residues of any type
    Pattern pattern(engine(), GetParam().type, GetParam().reduce, ranks);
    const ElementRange result{reduced_over_ranks, 0, 0, 1021};
    const auto whole = reduce_inputs(pattern, GetParam(), ranks, result);
    const auto without_last = reduce_inputs(pattern, GetParam(), ranks - 1, result);
    // An integer average of eight small numbers may lose what one of them adds.
    if (GetParam().reduce == ReduceOperation::avg) return;
    EXPECT_NE(whole, without_last);
}

/// n + 2 roundings, as Pattern says; a wrong element is further off than that.
TEST(PatternTest, an_average_may_be_off_by_its_roundings_and_no_more) {
    constexpr int ranks = 3;
    Pattern pattern(engine(), DataType::float32, ReduceOperation::avg, ranks);
    const ElementRange result{reduced_over_ranks, 0, 0, 3000};
    std::vector<float> averages(result.count, 0);
    for (int rank = 0; rank < ranks; ++rank) {
        const auto input = values<float>(pattern, {rank, 0, 0, result.count});
        for (std::size_t i = 0; i < result.count; ++i)
            averages[i] += input[i] * (1.0F / ranks);
    }
    EXPECT_EQ(pattern.count_wrong(result, averages.data()), 0u);
    averages[17] *= 1 + 8e-7F;
    averages[18] = std::numeric_limits<float>::quiet_NaN();
    averages[19] = 0;
    EXPECT_EQ(pattern.count_wrong(result, averages.data()), 3u);
}

TEST(PatternTest, float32_sums_stay_within_its_whole_numbers) {
    constexpr float largest_whole = 16'777'216;
    for (const int ranks : {4096, 65'536}) {
        Pattern pattern(engine(), DataType::float32, ReduceOperation::sum, ranks);
        const auto sums = values<float>(pattern, {reduced_over_ranks, 0, 0, 3'000'000});
        EXPECT_LT(*std::max_element(sums.begin(), sums.end()), largest_whole);
    }
}

TEST(PatternTest, refuses_more_ranks_than_float32_can_sum) {
    EXPECT_THROW(Pattern(engine(), DataType::float32, ReduceOperation::sum, 65'537), Error);
}

/// A maximum that takes only some ranks' data would go unseen if these always held it.
TEST(PatternTest, every_rank_holds_the_maximum_somewhere) {
    constexpr int ranks = 8;
    Pattern pattern(engine(), DataType::int32, ReduceOperation::max, ranks);
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
