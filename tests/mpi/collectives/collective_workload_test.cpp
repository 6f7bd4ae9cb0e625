// SPDX-License-Identifier: Apache-2.0
// The workload on real MPI collectives: results are right, faults are counted, limits are refused.
#include <cstddef>
#include <cstdlib>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "collective/operations.hpp"
#include "collective/plan.hpp"
#include "collective/workload.hpp"
#include "measure/sweep.hpp"

namespace railgauge {
namespace {

int comm_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int comm_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

constexpr MemoryShare ample{std::uint64_t{1} << 40, 1};

/// Both tallies over all ranks.
CheckTally over_ranks(CheckTally tally) {
    std::uint64_t sums[2]{tally.checked, tally.wrong};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return {sums[0], sums[1]};
}

std::unique_ptr<CollectiveWorkload> make_workload(const std::vector<Case>& plan,
                                                  std::unique_ptr<Collectives> collectives) {
    return std::make_unique<CollectiveWorkload>(
        std::move(collectives), make_host_memory(), plan,
        CollectiveWorkload::Setting{{0, comm_size()},
                                    {},
                                    ample,
                                    seeded_weights(static_cast<std::size_t>(comm_size()), 0.5, 1)});
}

/// Every operation in every place with some types, or all with RAILGAUGE_FULL_PRODUCT, around the
/// sizes where libraries change their algorithm.
CollectiveOptions everything() {
    CollectiveOptions options;
    options.operations = {"all"};
    options.types = {"int8", "uint64", "bfloat16", "float32", "bytes"};
    options.reductions = {"sum", "prod", "max"};
    options.place = "both";
    options.sizes = "1000,64KiB";
    if (std::getenv("RAILGAUGE_FULL_PRODUCT") != nullptr) {
        options.types = data_type_names();
        options.reductions = {"sum", "prod", "min", "max"};
        options.sizes = "32,1000,64KiB,300KiB";
    }
    options.root = comm_size() - 1;
    return options;
}

/// What MPI lacks is refused in words that say so, everything else is prepared.
bool try_to_prepare(CollectiveWorkload& workload, const Case& c) {
    try {
        workload.prepare(c);
        return true;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), testing::AnyOf(testing::HasSubstr("MPI-3 cannot compute with"),
                                                 testing::HasSubstr("no chunk has an element")));
        return false;
    }
}

TEST(CollectiveWorkloadTest, every_operation_in_every_form_gives_known_results) {
    const auto plan = plan_collectives(everything(), {comm_size()}).cases;
    const auto workload = make_workload(plan, make_mpi_collectives({MPI_COMM_WORLD}));
    for (const Case& c : plan) {
        SCOPED_TRACE(c.name());
        if (!try_to_prepare(*workload, c)) continue;
        const CheckTally before = over_ranks(workload->check(0));
        for (int i = 0; i < 3; ++i)
            workload->launch();
        workload->complete();
        const CheckTally after = over_ranks(workload->check(1));

        const CollectiveCall call = call_of(c);
        const OperationRow& row = row_of(call.operation);
        const std::size_t holders =
            row.result == Holders::root ? 1 : static_cast<std::size_t>(comm_size());
        const std::size_t elements = receive_elements(row, call.count, comm_size());
        if (call.operation != Operation::alltoallv) {
            EXPECT_EQ(before.checked, holders * elements);
        }
        EXPECT_GT(before.checked, 0u);
        EXPECT_EQ(before.wrong, 0u);
        EXPECT_EQ(after.checked, before.checked);
        EXPECT_EQ(after.wrong, 0u);
    }
    workload->close();
}

/// MPI with a wrong element in one rank's result after every operation.
class CorruptingCollectives : public Collectives {
  public:
    explicit CorruptingCollectives(int culprit)
        : honest_(make_mpi_collectives({MPI_COMM_WORLD})), culprit_(culprit) {}

    std::string_view name() const override { return honest_->name(); }
    int rank() const override { return honest_->rank(); }
    int size() const override { return honest_->size(); }
    std::string obstacle(const CollectiveCall& call, const LaunchManner& manner) const override {
        return honest_->obstacle(call, manner);
    }
    Buffer allocate(MemorySpace& memory, std::size_t size, BufferKind kind) override {
        return honest_->allocate(memory, size, kind);
    }
    CommunicatorLife live() override { return honest_->live(); }
    void prepare(std::span<const CollectiveCall> calls, const LaunchManner& manner) override {
        const CollectiveCall& call = calls.front();
        result_ = static_cast<std::byte*>(call.receive);
        // What the root of an in-place scatter keeps lies at its own place.
        if (call.operation == Operation::scatter && call.place == Place::in && rank() == call.root)
            result_ += static_cast<std::size_t>(rank()) * call.count * size_of(call.type);
        honest_->prepare(calls, manner);
    }
    void launch() override {
        honest_->launch();
        if (rank() == culprit_) *result_ ^= std::byte{1};
    }
    void complete() override { honest_->complete(); }
    void close() override { honest_->close(); }

  private:
    std::unique_ptr<Collectives> honest_;
    int culprit_;
    std::byte* result_ = nullptr;
};

TEST(CollectiveWorkloadTest, one_corrupted_element_is_one_wrong_element) {
    const auto plan = plan_collectives(everything(), {comm_size()}).cases;
    const auto workload =
        make_workload(plan, std::make_unique<CorruptingCollectives>(comm_size() - 1));
    for (const Case& c : plan) {
        if (!try_to_prepare(*workload, c)) continue;
        EXPECT_EQ(over_ranks(workload->check(0)).wrong, 1u) << c.name();
    }
    workload->close();
}

/// MPI that does nothing.
class IdleCollectives : public CorruptingCollectives {
  public:
    IdleCollectives() : CorruptingCollectives(-1) {}
    void launch() override {}
};

TEST(CollectiveWorkloadTest, a_library_that_does_nothing_is_wrong) {
    if (comm_size() == 1) GTEST_SKIP() << "one rank's in-place result is its input";
    const auto plan = plan_collectives(everything(), {comm_size()}).cases;
    const auto workload = make_workload(plan, std::make_unique<IdleCollectives>());
    for (const Case& c : plan) {
        if (!try_to_prepare(*workload, c)) continue;
        EXPECT_GT(over_ranks(workload->check(0)).wrong, 0u) << c.name();
    }
    workload->close();
}

TEST(CollectiveWorkloadTest, algbw_bytes_are_the_larger_buffer) {
    CollectiveOptions options;
    options.operations = {"all_gather"};
    options.sizes = "1KiB";
    const auto plan = plan_collectives(options, {comm_size()}).cases;
    const auto workload = make_workload(plan, make_mpi_collectives({MPI_COMM_WORLD}));
    workload->prepare(plan.at(0));
    EXPECT_EQ(workload->traffic().bytes, static_cast<std::uint64_t>(plan.at(0).integer("bytes")));
    EXPECT_EQ(workload->traffic().algbw_bytes, workload->traffic().bytes);
    workload->close();
}

/// The text of the refusal of the plan's largest case, which must be a usage error on every rank.
std::string refusal_of_last(const std::vector<Case>& plan, MemoryShare share) {
    const auto workload = std::make_unique<CollectiveWorkload>(
        make_mpi_collectives({MPI_COMM_WORLD}), make_host_memory(), plan,
        CollectiveWorkload::Setting{{0, comm_size()}, {}, share, {}});
    workload->prepare(plan.front());
    EXPECT_EQ(over_ranks(workload->check(0)).wrong, 0u);
    std::string text = "accepted";
    try {
        workload->prepare(plan.back());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        text = error.what();
    }
    workload->close();
    return text;
}

TEST(CollectiveWorkloadTest, a_case_beyond_the_memory_is_refused_and_others_run) {
    CollectiveOptions options;
    options.sizes = "1KiB,1MiB";
    const auto plan = plan_collectives(options, {comm_size()}).cases;
    EXPECT_THAT(refusal_of_last(plan, {1'000'000, 4}),
                testing::HasSubstr("the buffers of one rank take 2 MiB (a node with 4 ranks has "));
}

TEST(CollectiveWorkloadTest, a_count_beyond_an_int_is_refused_and_takes_no_memory) {
    CollectiveOptions options;
    options.operations = {"broadcast"};
    options.types = {"bytes"};
    options.sizes = "1KiB,1000GiB";
    const auto plan = plan_collectives(options, {comm_size()}).cases;
    EXPECT_THAT(refusal_of_last(plan, ample), testing::HasSubstr("an MPI-3 count is an int"));
}

TEST(MpiCollectivesTest, a_count_beyond_an_int_is_an_obstacle) {
    const auto collectives = make_mpi_collectives({MPI_COMM_WORLD});
    CollectiveCall call{};
    call.operation = Operation::broadcast;
    call.type = DataType::bytes;
    call.count = std::size_t{1} << 31;
    EXPECT_THAT(collectives->obstacle(call, {}), testing::HasSubstr("2147483648 is more than"));
    call.count -= 1;
    EXPECT_EQ(collectives->obstacle(call, {}), "");
    collectives->close();
}

TEST(MpiCollectivesTest, reduce_scatter_is_judged_by_its_whole_vector) {
    const auto collectives = make_mpi_collectives({MPI_COMM_WORLD});
    CollectiveCall call{};
    call.operation = Operation::reduce_scatter;
    call.reduce = ReduceOperation::sum;
    call.count = std::size_t{1} << 30;
    EXPECT_EQ(collectives->obstacle(call, {}).empty(), comm_size() == 1);
    collectives->close();
}

TEST(MpiCollectivesTest, ranks_of_a_number_work_together) {
    const int group = comm_rank() % 2;
    const auto collectives = make_collectives("mpi", {MPI_COMM_WORLD, group, {}});
    EXPECT_EQ(collectives->size(), (comm_size() + 1 - group) / 2);
    EXPECT_EQ(collectives->rank(), comm_rank() / 2);
    collectives->close();
}

}  // namespace
}  // namespace railgauge
