// SPDX-License-Identifier: Apache-2.0
// The workload on real MPI, every rank of this machine as a node of its own: all that is sent
// arrives, faults are counted, what does not fit is refused.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "measure/sweep.hpp"
#include "pairs/workload.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

int comm_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int comm_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

constexpr MemoryShare ample{std::uint64_t{1} << 40, 1};

CheckTally over_ranks(CheckTally tally) {
    std::uint64_t sums[2]{tally.checked, tally.wrong};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return {sums[0], sums[1]};
}

Fleet ranks_as_nodes() {
    const auto size = static_cast<std::size_t>(comm_size());
    std::vector<std::string> hosts;
    hosts.reserve(size);
    for (std::size_t rank = 0; rank < size; ++rank)
        hosts.push_back("n" + std::to_string(rank));
    return {make_placement(hosts, std::vector<std::string>(size, "boot")),
            std::vector<int>(size, 0)};
}

PairsPlan make_pairs_plan(const PairsOptions& options) {
    PairsPlan plan = plan_pairs(options, ranks_as_nodes(), nullptr);
    plan.cases = make_plan(std::move(plan.cases));
    return plan;
}

/// Every operation and direction, around the sizes where libraries change their protocol.
PairsOptions everything() {
    PairsOptions options;
    options.operations = {"bandwidth", "latency"};
    options.directions = {"forward", "backward", "both"};
    options.sizes = "1,1000,4KiB,70000,300KiB";
    options.depths = {1, 3};
    return options;
}

std::unique_ptr<PairsWorkload> make_workload(const PairsPlan& plan,
                                             std::unique_ptr<Transport> transport,
                                             MemoryShare share = ample) {
    std::vector<PairsMemory> memories;
    memories.push_back({make_host_memory(), share, nullptr});
    return std::make_unique<PairsWorkload>(std::move(transport), std::move(memories), plan,
                                           comm_rank(), 0);
}

/// Bytes that a check round of a case has to compare, over all ranks.
std::uint64_t bytes_to_check(const Case& c) {
    const PairCall call = call_of(c);
    const bool two_ways =
        call.direction == Direction::both || call.direction == Direction::round_trip;
    return call.window_bytes() * static_cast<std::uint64_t>(c.integer("pairs")) *
           (two_ways ? 2 : 1);
}

TEST(PairsWorkloadTest, every_byte_of_every_operation_arrives) {
    const PairsPlan plan = make_pairs_plan(everything());
    const auto workload = make_workload(plan, make_mpi_transport(MPI_COMM_WORLD));
    for (const Case& c : plan.cases) {
        SCOPED_TRACE(c.name());
        workload->prepare(c);
        workload->reserve(4);
        const bool active = workload->group() >= 0;
        const CheckTally before = over_ranks(active ? workload->check(0) : CheckTally{});
        for (int i = 0; active && i < 3; ++i) {
            for (int operation = 0; operation < 5; ++operation)
                workload->launch();  // in one sample, as in batched mode
            workload->complete();
        }
        const CheckTally after = over_ranks(active ? workload->check(1) : CheckTally{});
        EXPECT_EQ(before.checked, bytes_to_check(c));
        EXPECT_EQ(before.wrong, 0u);
        EXPECT_EQ(after.checked, before.checked);
        EXPECT_EQ(after.wrong, 0u);
    }
    workload->close();
}

TEST(PairsWorkloadTest, samples_say_peer_rail_and_acknowledgement_of_the_timed_operations) {
    PairsOptions options;
    options.sizes = "4KiB";
    options.depths = {1};
    options.directions = {"forward"};
    const PairsPlan plan = make_pairs_plan(options);
    const auto workload = make_workload(plan, make_mpi_transport(MPI_COMM_WORLD));
    const Case& c = plan.cases.front();
    workload->prepare(c);
    const int peer = plan.matching(c.id()).peers[static_cast<std::size_t>(comm_rank())];
    workload->reserve(3);
    for (int i = 0; peer >= 0 && i < 5; ++i) {  // two of them warm-up
        workload->launch();
        workload->complete();
    }
    std::vector<Cell> cells(3);
    workload->extra_cells(0, cells);
    EXPECT_THAT(cells, testing::Each(static_cast<Cell>(peer)));
    workload->extra_cells(1, cells);
    EXPECT_THAT(cells, testing::Each(Cell{0}));
    if (peer >= 0) {
        workload->extra_cells(2, cells);
        for (const Cell cell : cells)
            EXPECT_EQ(static_cast<std::int64_t>(cell) > 0, comm_rank() < peer);
    }
    workload->close();
}

/// A channel that flips a bit in every payload it received.
class FlippingChannel : public Channel {
  public:
    FlippingChannel(std::unique_ptr<Channel> honest, RegisteredMemory& memory)
        : honest_(std::move(honest)), memory_(memory) {}

    void post(const Message& message) override {
        if (message.verb == Verb::receive && message.bytes > 0)
            offset_of_[message.id] = message.offset;
        honest_->post(message);
    }

    std::span<const Completion> poll() override {
        const auto done = honest_->poll();
        for (const Completion& completion : done)
            if (const auto found = offset_of_.find(completion.id); found != offset_of_.end())
                memory_.data()[found->second] ^= std::byte{1};
        return done;
    }

    void close() override { honest_->close(); }

  private:
    std::unique_ptr<Channel> honest_;
    RegisteredMemory& memory_;
    std::map<std::uint64_t, std::size_t> offset_of_;
};

/// MPI with a fault between it and the workload.
class FaultyTransport : public Transport {
  public:
    std::string_view name() const override { return "faulty"; }
    Capabilities capabilities() const override { return honest_->capabilities(); }
    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        return honest_->allocate(space, size);
    }
    void close() override { honest_->close(); }

  protected:
    std::unique_ptr<Transport> honest_ = make_mpi_transport(MPI_COMM_WORLD);
};

class FlippingTransport : public FaultyTransport {
  public:
    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        return std::make_unique<FlippingChannel>(honest_->connect(peer, memory, parameters),
                                                 memory);
    }
};

/// Payload comes from somewhere else and goes there: the workload's memory is never touched.
class StrayingTransport : public FaultyTransport {
  public:
    std::unique_ptr<Channel> connect(int peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        const auto space = make_host_memory();
        elsewhere_ = honest_->allocate(*space, memory.size());
        return honest_->connect(peer, *elsewhere_, parameters);
    }

  private:
    std::unique_ptr<RegisteredMemory> elsewhere_;
};

/// Tally of a check round of a case over a transport.
CheckTally check_over(const PairsPlan& plan, PairsWorkload& workload, const Case& c) {
    workload.prepare(c);
    const bool active = plan.matching(c.id()).peers[static_cast<std::size_t>(comm_rank())] >= 0;
    return over_ranks(active ? workload.check(0) : CheckTally{});
}

TEST(PairsWorkloadTest, one_flipped_byte_in_each_message_is_counted) {
    const PairsPlan plan = make_pairs_plan(everything());
    const auto workload = make_workload(plan, std::make_unique<FlippingTransport>());
    for (const Case& c : plan.cases) {
        const CheckTally tally = check_over(plan, *workload, c);
        EXPECT_EQ(tally.wrong, tally.checked / call_of(c).bytes) << c.name();
    }
    workload->close();
}

TEST(PairsWorkloadTest, payload_that_never_arrives_is_wrong_in_every_byte) {
    const PairsPlan plan = make_pairs_plan(everything());
    const auto workload = make_workload(plan, std::make_unique<StrayingTransport>());
    for (const Case& c : plan.cases) {
        const CheckTally tally = check_over(plan, *workload, c);
        EXPECT_GT(tally.checked, 0u);
        EXPECT_EQ(tally.wrong, tally.checked) << c.name();
    }
    workload->close();
}

/// The text of the refusal of a plan's last case; its first must be accepted.
std::string refusal_of_last(const PairsPlan& plan, PairsWorkload& workload) {
    EXPECT_EQ(check_over(plan, workload, plan.cases.front()).wrong, 0u);
    std::string text = "accepted";
    try {
        workload.prepare(plan.cases.back());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        text = error.what();
    }
    EXPECT_LT(workload.group(), 0);
    return text;
}

TEST(PairsWorkloadTest, a_case_beyond_the_memory_is_refused_and_others_run) {
    PairsOptions options;
    options.sizes = "1KiB,1MiB";
    const PairsPlan plan = make_pairs_plan(options);
    const auto workload =
        make_workload(plan, make_mpi_transport(MPI_COMM_WORLD), {std::uint64_t{1} << 20, 4});
    EXPECT_THAT(refusal_of_last(plan, *workload),
                HasSubstr("the buffers of one rank take 32 MiB (a node with 4 ranks has 1 MiB"));
    workload->close();
}

TEST(PairsWorkloadTest, a_case_without_pairs_is_refused_by_its_rails) {
    PairsOptions options;
    options.sizes = "1KiB";
    PairsPlan plan = make_pairs_plan(options);
    plan.matchings.back().peers.assign(static_cast<std::size_t>(comm_size()), -1);
    plan.matching_of_case.back() = plan.matchings.size() - 1;
    const auto workload = make_workload(plan, make_mpi_transport(MPI_COMM_WORLD));
    EXPECT_THROW(workload->prepare(plan.cases.back()), Error);
    EXPECT_LT(workload->group(), 0);
    workload->close();
}

TEST(PairsWorkloadTest, a_message_that_mpi_cannot_count_is_refused) {
    PairsOptions options;
    options.sizes = "1KiB,2GiB";
    options.depths = {1};
    const PairsPlan plan = make_pairs_plan(options);
    const auto workload =
        make_workload(plan, make_mpi_transport(MPI_COMM_WORLD), {std::uint64_t{1} << 20, 1});
    EXPECT_THAT(refusal_of_last(plan, *workload), HasSubstr("transport mpi sends at most"));
    workload->close();
}

}  // namespace
}  // namespace railgauge
