// SPDX-License-Identifier: Apache-2.0
#include "collectives/pattern_job.hpp"

#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collective/pattern.hpp"

namespace railgauge {
namespace {

using Bytes = std::vector<std::byte>;

/// The kernels' bodies, called as by the threads of a
/// grid, whether smaller than the job, so that each strides, or larger.
class GridEngine : public PatternEngine {
  public:
    explicit GridEngine(std::uint64_t threads) : threads_(threads) {}

    void fill(const PatternJob& job, void* out) override {
        with_element(job.type, [&]<class Element>(Element) {
            auto* const values = static_cast<typename Element::Stored*>(out);
            for (std::uint64_t thread = 0; thread < threads_; ++thread)
                fill_elements<Element>(job, values, thread, threads_);
        });
    }

    std::uint64_t count_wrong(const PatternJob& job, const void* data) override {
        std::uint64_t wrong = 0;
        with_element(job.type, [&]<class Element>(Element) {
            const auto* const values = static_cast<const typename Element::Stored*>(data);
            for (std::uint64_t thread = 0; thread < threads_; ++thread)
                wrong += count_wrong_elements<Element>(job, values, thread, threads_);
        });
        return wrong;
    }

    void set_bytes(void* out, unsigned char value, std::size_t bytes) override {
        std::memset(out, value, bytes);
    }

  private:
    std::uint64_t threads_;
};

struct Reduction {
    DataType type;
    ReduceOperation reduce;
};

/// Every type with every reduction it has, and moved without one.
std::vector<Reduction> every_reduction() {
    std::vector<Reduction> all;
    for (const std::string& type : data_type_names()) {
        for (const std::string& reduce : reduce_operation_names()) {
            const Reduction one{parse_data_type(type), parse_reduce_operation(reduce)};
            if (one.type != DataType::bytes || one.reduce == ReduceOperation::none)
                all.push_back(one);
        }
    }
    return all;
}

class PatternJobTest : public testing::TestWithParam<Reduction> {
  protected:
    /// @param use called with a pattern by the host, one by a grid, and a stretch
    template <class Use>
    void for_each_stretch(Use use) {
        const auto host = make_host_pattern_engine();
        for (const std::uint64_t threads : {1, 256, 8192}) {
            GridEngine grid(threads);
            for (const int ranks : {1, 3}) {
                Pattern by_host(*host, GetParam().type, GetParam().reduce, ranks);
                Pattern by_grid(grid, GetParam().type, GetParam().reduce, ranks);
                for (const ElementRange& stretch : stretches(ranks)) {
                    SCOPED_TRACE(fmt::format("{} threads, {} ranks, source {}, elements {}+{}",
                                             threads, ranks, stretch.source, stretch.first,
                                             stretch.count));
                    use(by_host, by_grid, stretch);
                }
            }
        }
    }

    Bytes buffer(const ElementRange& stretch) const {
        return Bytes(stretch.count * size_of(GetParam().type), std::byte{0xff});
    }

    /// Changes the exponent of a float: no tolerance takes that for right.
    void spoil(Bytes& data, std::size_t element) const {
        const std::size_t bytes = size_of(GetParam().type);
        data.at(element * bytes + bytes - 1) ^= std::byte{0x40};
    }

    /// Whether elements of the stretch are right within a tolerance.
    static bool is_close_only(const ElementRange& stretch) {
        return stretch.source == reduced_over_ranks && GetParam().reduce == ReduceOperation::avg &&
               row_of(GetParam().type).kind == NumberKind::floating;
    }

  private:
    std::vector<ElementRange> stretches(int ranks) const {
        std::vector<ElementRange> all;
        std::vector<int> sources{0, ranks - 1};
        if (GetParam().reduce != ReduceOperation::none) sources.push_back(reduced_over_ranks);
        for (const int source : sources) {
            for (const std::size_t first : {0, 1020, 1021, 5000})
                all.push_back({source, 3, first, 2500});
            all.push_back({source, 0, 17, 1});
            all.push_back({source, 0, 17, 0});
        }
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(Every, PatternJobTest, testing::ValuesIn(every_reduction()),
                         [](const auto& reduction) {
                             return fmt::format("{}_{}", to_text(reduction.param.reduce),
                                                to_text(reduction.param.type));
                         });

TEST_P(PatternJobTest, threads_that_stride_write_what_the_host_writes) {
    for_each_stretch([&](Pattern& by_host, Pattern& by_grid, const ElementRange& stretch) {
        Bytes expected = buffer(stretch);
        Bytes written = buffer(stretch);
        by_host.write(stretch, expected.data());
        by_grid.write(stretch, written.data());
        ASSERT_EQ(written, expected);
    });
}

TEST_P(PatternJobTest, threads_that_stride_find_as_many_wrong_elements_as_the_host) {
    for_each_stretch([&](Pattern& by_host, Pattern& by_grid, const ElementRange& stretch) {
        Bytes data = buffer(stretch);
        const auto both_find = [&](std::uint64_t wrong) {
            ASSERT_EQ(by_grid.count_wrong(stretch, data.data()), wrong);
            ASSERT_EQ(by_host.count_wrong(stretch, data.data()), wrong);
        };
        both_find(stretch.count);  // the poison
        if (is_close_only(stretch)) return;
        by_host.write(stretch, data.data());
        both_find(0);
        if (stretch.count < 2000) return;
        for (const std::size_t element : {0, 255, 256, 1999})
            spoil(data, element);
        both_find(4);
    });
}

/// Of averages that a floating type rounds, engines write the whole part.
TEST_P(PatternJobTest, threads_that_stride_find_as_many_averages_too_far_off_as_the_host) {
    for_each_stretch([&](Pattern& by_host, Pattern& by_grid, const ElementRange& stretch) {
        if (!is_close_only(stretch)) return;
        Bytes data = buffer(stretch);
        by_host.write(stretch, data.data());
        ASSERT_EQ(by_grid.count_wrong(stretch, data.data()),
                  by_host.count_wrong(stretch, data.data()));
    });
}

}  // namespace
}  // namespace railgauge
