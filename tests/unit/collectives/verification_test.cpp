// SPDX-License-Identifier: Apache-2.0
// Check rounds against a team of ranks in one process whose collectives this file carries out by
// their definition, rightly and wrongly.
#include "collective/verification.hpp"

#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collective/operations.hpp"
#include "collective/plan.hpp"

namespace railgauge {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void reduce_into(void* total, const void* part, std::size_t count, ReduceOperation reduce) {
    T* const a = static_cast<T*>(total);
    const T* const b = static_cast<const T*>(part);
    for (std::size_t i = 0; i < count; ++i) {
        switch (reduce) {
            case ReduceOperation::prod: a[i] = a[i] * b[i]; break;
            case ReduceOperation::min: a[i] = std::min(a[i], b[i]); break;
            case ReduceOperation::max: a[i] = std::max(a[i], b[i]); break;
            default: a[i] = a[i] + b[i];
        }
    }
}

void reduce_into(void* total, const void* part, const CollectiveCall& call, std::size_t count) {
    switch (call.type) {
        case DataType::float32: return reduce_into<float>(total, part, count, call.reduce);
        case DataType::float64: return reduce_into<double>(total, part, count, call.reduce);
        case DataType::int32: return reduce_into<std::int32_t>(total, part, count, call.reduce);
        case DataType::int64: return reduce_into<std::int64_t>(total, part, count, call.reduce);
        default: FAIL() << to_text(call.type) << " is not reduced here";
    }
}

/// n ranks' buffers for one call.
class FakeGroup {
  public:
    FakeGroup(const CollectiveCall& call, int ranks) : ranks_(ranks), call_(call) {
        const auto n = static_cast<std::size_t>(ranks);
        if (call.operation == Operation::alltoallv)
            call_.counts =
                std::make_shared<CountMatrix>(scale_to(seeded_weights(n, 0.5, 3), n, call.count));
        const BufferBytes bytes = buffer_bytes(call, ranks);
        send_.assign(static_cast<std::size_t>(ranks), Bytes(bytes.send));
        receive_.assign(static_cast<std::size_t>(ranks), Bytes(bytes.receive));
    }

    int ranks() const { return ranks_; }
    std::size_t chunk_bytes() const { return call_.count * size_of(call_.type); }

    /// The call as rank `rank` makes it.
    CollectiveCall call(int rank) {
        CollectiveCall call = call_;
        call.receive = receive_[static_cast<std::size_t>(rank)].data();
        call.send =
            call.place == Place::in ? call.receive : send_[static_cast<std::size_t>(rank)].data();
        if (call.operation == Operation::broadcast && rank == call.root)
            call.receive = const_cast<void*>(call.send);
        return call;
    }

    void write(std::uint64_t round, Pattern& pattern) {
        for (int rank = 0; rank < ranks_; ++rank)
            write_input(call(rank), {rank, ranks_}, round, pattern);
    }

    CheckTally check(std::uint64_t round, Pattern& pattern) {
        CheckTally all;
        for (int rank = 0; rank < ranks_; ++rank) {
            const CheckTally one = check_result(call(rank), {rank, ranks_}, round, pattern);
            all.checked += one.checked;
            all.wrong += one.wrong;
        }
        return all;
    }

    /// Each rank's input as it stands in the buffers.
    std::vector<Bytes> inputs() {
        std::vector<Bytes> inputs;
        for (int rank = 0; rank < ranks_; ++rank) {
            const OperationRow& row = row_of(call_.operation);
            const auto* begin = static_cast<const std::byte*>(call(rank).send);
            const bool grows = row.send == Extent::one && row.receive == Extent::one_per_rank;
            if (grows && call_.place == Place::in)
                begin += static_cast<std::size_t>(rank) * chunk_bytes();
            const std::size_t size = send_elements(row, call_.count, ranks_) * size_of(call_.type);
            inputs.emplace_back(begin, begin + size);
        }
        return inputs;
    }

    /// Carries the operation out on `inputs`.
    void run(const std::vector<Bytes>& inputs) {
        for (int rank = 0; rank < ranks_; ++rank) {
            const bool has_result = row_of(call_.operation).result == Holders::every_rank;
            if (!has_result && rank != call_.root) continue;
            if (call_.operation == Operation::broadcast && rank == call_.root) continue;
            auto* const out = result(rank);
            const std::size_t own = static_cast<std::size_t>(rank) * chunk_bytes();
            switch (call_.operation) {
                case Operation::all_reduce:
                case Operation::reduce: reduce(inputs, 0, out); break;
                case Operation::reduce_scatter: reduce(inputs, own, out); break;
                case Operation::broadcast:
                    copy(inputs[static_cast<std::size_t>(call_.root)], 0, out);
                    break;
                case Operation::gather:
                case Operation::hypercube:
                case Operation::all_gather: gather(inputs, 0, out); break;
                case Operation::alltoall: gather(inputs, own, out); break;
                case Operation::alltoallv: gather_unequal(inputs, rank, out); break;
                case Operation::scatter:
                    copy(inputs[static_cast<std::size_t>(call_.root)], own, out);
                    break;
                case Operation::sendrecv:
                    copy(inputs[static_cast<std::size_t>((rank + ranks_ - 1) % ranks_)], 0, out);
                    break;
            }
        }
    }

    std::byte* result(int rank) {
        const bool stays =
            call_.operation == Operation::scatter && call_.place == Place::in && rank == call_.root;
        const std::size_t offset = stays ? static_cast<std::size_t>(rank) * chunk_bytes() : 0;
        return static_cast<std::byte*>(call(rank).receive) + offset;
    }

    /// Elements of a rank's result.
    std::size_t result_elements(int rank) const {
        if (call_.counts) return call_.counts->received(static_cast<std::size_t>(rank));
        return receive_elements(row_of(call_.operation), call_.count, ranks_);
    }

  private:
    void copy(const Bytes& input, std::size_t offset, std::byte* out) const {
        std::memcpy(out, input.data() + offset, chunk_bytes());
    }

    void gather(const std::vector<Bytes>& inputs, std::size_t offset, std::byte* out) const {
        for (const Bytes& input : inputs) {
            copy(input, offset, out);
            out += chunk_bytes();
        }
    }

    void gather_unequal(const std::vector<Bytes>& inputs, int rank, std::byte* out) const {
        const auto receiver = static_cast<std::size_t>(rank);
        const std::size_t size = size_of(call_.type);
        for (std::size_t sender = 0; sender < inputs.size(); ++sender) {
            const std::size_t bytes = call_.counts->count(sender, receiver) * size;
            std::memcpy(out,
                        inputs[sender].data() + call_.counts->send_offset(sender, receiver) * size,
                        bytes);
            out += bytes;
        }
    }

    void reduce(const std::vector<Bytes>& inputs, std::size_t offset, std::byte* out) const {
        copy(inputs[0], offset, out);
        for (std::size_t i = 1; i < inputs.size(); ++i)
            reduce_into(out, inputs[i].data() + offset, call_, call_.count);
    }

    int ranks_;
    CollectiveCall call_;
    std::vector<Bytes> send_;
    std::vector<Bytes> receive_;
};

std::vector<ReduceOperation> reductions_of(const OperationRow& row, DataType type) {
    if (row.reduces == Reduces::no) return {ReduceOperation::none};
    if (type == DataType::bytes) return {};
    return {ReduceOperation::sum, ReduceOperation::prod, ReduceOperation::min,
            ReduceOperation::max};
}

using Form = std::pair<CollectiveCall, int>;  // and the number of ranks

/// A call in every place, at a few numbers of ranks and counts around a block's length.
void append_forms(CollectiveCall call, const OperationRow& row, std::vector<Form>& forms) {
    for (const int ranks : {2, 3, 8}) {
        for (const std::size_t count : {1, 4, 1021, 2500}) {
            call.root = is_rooted(row) ? ranks - 1 : -1;
            call.count = count;
            if (!obstacle(row, ranks).empty()) continue;
            for (const Place place : {Place::out, Place::in}) {
                if (place == Place::in && row.in_place == InPlace::no) continue;
                call.place = place;
                forms.emplace_back(call, ranks);
            }
        }
    }
}

std::vector<Form> every_form() {
    std::vector<Form> forms;
    for (const OperationRow& row : operations()) {
        for (const DataType type : {DataType::float32, DataType::int64, DataType::bytes}) {
            for (const ReduceOperation reduce : reductions_of(row, type)) {
                CollectiveCall call{};
                call.operation = row.operation;
                call.type = type;
                call.reduce = reduce;
                append_forms(call, row, forms);
            }
        }
    }
    return forms;
}

std::string describe(const CollectiveCall& call, int ranks) {
    return fmt::format("{} {} {} {} count {} on {} ranks", row_of(call.operation).name,
                       to_text(call.type), to_text(call.reduce), to_text(call.place), call.count,
                       ranks);
}

/// Of few elements the root's own may be the result already: the largest, the smallest, or times
/// one.
bool may_be_right_unmoved(const CollectiveCall& call) {
    const bool adds = call.reduce == ReduceOperation::none || call.reduce == ReduceOperation::sum;
    return call.place == Place::in && !adds && call.count < 100;
}

/// Nothing is left of few elements spread over many ranks.
bool is_empty(const CollectiveCall& call, int ranks) {
    return call.operation == Operation::alltoallv &&
           call.count < static_cast<std::size_t>(3 * ranks);
}

template <class Use>
void for_every_form(Use use) {
    for (const auto& [call, ranks] : every_form()) {
        SCOPED_TRACE(describe(call, ranks));
        if (is_empty(call, ranks)) continue;
        FakeGroup group(call, ranks);
        const auto engine = make_host_pattern_engine();
        Pattern pattern(*engine, call.type, call.reduce, ranks);
        group.write(0, pattern);
        use(group, pattern, call);
    }
}

TEST(VerificationTest, right_results_have_no_wrong_element_and_all_are_checked) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        group.run(group.inputs());
        const CheckTally tally = group.check(0, pattern);
        const OperationRow& row = row_of(call.operation);
        std::size_t elements = 0;
        for (int rank = 0; rank < group.ranks(); ++rank) {
            if (row.result == Holders::every_rank || rank == call.root)
                elements += group.result_elements(rank);
        }
        EXPECT_EQ(tally.wrong, 0u);
        EXPECT_EQ(tally.checked, elements);
    });
}

TEST(VerificationTest, an_operation_that_did_not_run_shows) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        if (may_be_right_unmoved(call)) return;
        EXPECT_GT(group.check(0, pattern).wrong, 0u);
    });
}

TEST(VerificationTest, a_result_of_the_round_before_shows) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        group.run(group.inputs());
        EXPECT_EQ(group.check(0, pattern).wrong, 0u);
        EXPECT_EQ(group.check(1, pattern).wrong, group.check(0, pattern).checked)
            << describe(call, group.ranks());
    });
}

TEST(VerificationTest, each_corrupted_element_counts_once) {
    std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same faults every time
    for_every_form([&](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        group.run(group.inputs());
        const OperationRow& row = row_of(call.operation);
        const int rank = row.result == Holders::root
                             ? call.root
                             : static_cast<int>(random() % static_cast<unsigned>(group.ranks()));
        const std::size_t elements = group.result_elements(rank);
        const std::size_t size = size_of(call.type);
        std::vector<bool> corrupted(elements);
        for (int i = 0; i < 5; ++i) {
            const std::size_t index = random() % elements;
            if (corrupted[index]) continue;
            corrupted[index] = true;
            group.result(rank)[index * size + random() % size] ^= std::byte{0x10};
        }
        EXPECT_EQ(group.check(0, pattern).wrong,
                  static_cast<std::uint64_t>(std::count(corrupted.begin(), corrupted.end(), true)));
    });
}

TEST(VerificationTest, swapped_inputs_show_where_their_order_matters) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        if (row_of(call.operation).pieces == Extent::one) return;
        // Chunks of an alltoallv for the swapped ranks may have other lengths.
        if (call.operation == Operation::alltoallv) return;
        std::vector<Bytes> inputs = group.inputs();
        std::swap(inputs[0], inputs[1]);
        group.run(inputs);
        EXPECT_GT(group.check(0, pattern).wrong, 0u);
    });
}

TEST(VerificationTest, a_contribution_taken_twice_for_another_shows) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        // Of few elements, extremes and products can be right without each contribution.
        if (call.reduce == ReduceOperation::none) return;
        if (call.reduce != ReduceOperation::sum && call.count < 100) return;
        std::vector<Bytes> inputs = group.inputs();
        inputs[0] = inputs[1];
        group.run(inputs);
        EXPECT_GT(group.check(0, pattern).wrong, 0u);
    });
}

TEST(VerificationTest, chunks_for_the_wrong_receiver_show) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        if (row_of(call.operation).send != Extent::one_per_rank) return;
        // Few elements of two receivers can have the same product or extreme.
        const bool adds =
            call.reduce == ReduceOperation::none || call.reduce == ReduceOperation::sum;
        if (!adds && call.count < 100) return;
        std::vector<Bytes> inputs = group.inputs();
        for (Bytes& input : inputs) {
            const auto chunk = static_cast<std::ptrdiff_t>(group.chunk_bytes());
            std::swap_ranges(input.begin(), input.begin() + chunk, input.begin() + chunk);
        }
        group.run(inputs);
        EXPECT_GT(group.check(0, pattern).wrong, 0u);
    });
}

TEST(VerificationTest, in_place_sums_stay_zero_when_repeated) {
    for_every_form([](FakeGroup& group, Pattern& pattern, const CollectiveCall& call) {
        if (call.place == Place::out || call.reduce != ReduceOperation::sum) return;
        for (int rank = 0; rank < group.ranks(); ++rank)
            settle_input(group.call(rank), {rank, group.ranks()}, pattern);
        for (int repetition = 0; repetition < 3; ++repetition)
            group.run(group.inputs());
        const std::size_t size = buffer_bytes(call, group.ranks()).receive;
        for (int rank = 0; rank < group.ranks(); ++rank)
            EXPECT_EQ(std::count(group.result(rank), group.result(rank) + size, std::byte{0}),
                      static_cast<std::ptrdiff_t>(size));
    });
}

}  // namespace
}  // namespace railgauge
