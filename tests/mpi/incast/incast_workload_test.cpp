// SPDX-License-Identifier: Apache-2.0
// The workload on real MPI, every rank of this machine as a node of its own: all that is sent
// arrives, every request has its row, faults are counted and named, what does not fit is refused.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "incast/workload.hpp"
#include "measure/runner.hpp"
#include "measure/sweep.hpp"
#include "mpi/team.hpp"
#include "test_transports.hpp"

namespace railgauge {
namespace {

using testing::BreakingTransport;
using testing::FlippingTransport;
using ::testing::HasSubstr;
using testing::SharedMemoryTransport;
using testing::StrayingTransport;

constexpr std::int64_t ms = 1'000'000;
constexpr MemoryShare ample{std::uint64_t{1} << 40, 1};

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

Fleet ranks_as_nodes() {
    const auto size = static_cast<std::size_t>(comm_size());
    std::vector<std::string> hosts;
    hosts.reserve(size);
    for (std::size_t rank = 0; rank < size; ++rank)
        hosts.push_back("n" + std::to_string(rank));
    return {make_placement(hosts, std::vector<std::string>(size, "boot")),
            std::vector<int>(size, 0)};
}

/// What one rank saw of a case.
struct Seen {
    CaseResult result;
    std::vector<std::string> names;
    std::vector<std::vector<Cell>> columns;
    int group = -1;

    std::vector<std::int64_t> column(const std::string& name) const {
        const auto found = std::find(names.begin(), names.end(), name);
        const auto& cells = columns[static_cast<std::size_t>(found - names.begin())];
        return {cells.begin(), cells.end()};
    }
};

/// A plan, a workload and what runs it.
class Rig {
  public:
    explicit Rig(const IncastOptions& options, std::unique_ptr<Transport> transport = nullptr,
                 MemoryShare share = ample)
        : fleet_(ranks_as_nodes()), plan_(plan_incast(options, fleet_, nullptr)) {
        for (Case& c : plan_.cases)
            c.annotate("duration_ns", duration_ns);
        plan_.cases = make_plan(std::move(plan_.cases));
        if (!transport) transport = make_mpi_transport(MPI_COMM_WORLD);
        workload_ = std::make_unique<IncastWorkload>(MPI_COMM_WORLD, std::move(transport),
                                                     make_host_memory(), plan_, fleet_, share);
    }

    const std::vector<Case>& cases() const { return plan_.cases; }
    const Cast& cast(const Case& c) const { return plan_.cast(c.id()); }

    Seen run(const Case& c) {
        MpiTeam team(MPI_COMM_WORLD, "host");
        Progress progress;
        SampleSink sink("/tmp", workload_->columns());
        Seen seen;
        seen.result = Runner(team, progress, monotonic_clock, {})
                          .run(c, *workload_, 2 * ms, duration_ns, sink);
        seen.group = workload_->group();
        for (std::size_t i = 0; i < sink.columns().size(); ++i) {
            const SampleColumn& column = sink.columns()[i];
            seen.names.push_back(column.name);
            seen.columns.emplace_back(sink.rows(), column.constant.value_or(0));
            if (!column.constant) sink.copy(i, 0, seen.columns.back());
        }
        return seen;
    }

    void close() { workload_->close(); }

    static constexpr std::int64_t duration_ns = 10 * ms;

  private:
    Fleet fleet_;
    IncastPlan plan_;
    std::unique_ptr<IncastWorkload> workload_;
};

/// Around the sizes where libraries change their protocol.
IncastOptions everything() {
    IncastOptions options;
    options.senders = {"1", "3", "all"};
    options.queues = {1, 3};
    options.sizes = "1,4KiB,70000,300KiB";
    options.depths = {1, 3};
    return options;
}

IncastOptions single(const std::string& sizes = "4KiB") {
    IncastOptions options;
    options.senders = {"all"};
    options.queues = {2};
    options.sizes = sizes;
    options.depths = {4};
    return options;
}

std::uint64_t bytes_to_check(const Case& c) {
    return static_cast<std::uint64_t>(c.integer("senders") * c.integer("queues") *
                                      c.integer("bytes") * c.integer("depth"));
}

bool sends(const Cast& cast) {
    for (const Crew& crew : cast.crews)
        if (std::count(crew.senders.begin(), crew.senders.end(), comm_rank()) > 0) return true;
    return false;
}

void expect_every_byte(Rig& rig) {
    for (const Case& c : rig.cases()) {
        SCOPED_TRACE(c.name());
        const Seen seen = rig.run(c);
        EXPECT_EQ(seen.result.status, CaseStatus::done) << seen.result.reason;
        EXPECT_EQ(seen.result.checked_elements, bytes_to_check(c));
        EXPECT_EQ(seen.result.wrong_elements, 0u);
        EXPECT_EQ(seen.group >= 0, sends(rig.cast(c)) || comm_rank() == 0);
        EXPECT_TRUE(sends(rig.cast(c)) || seen.column("bytes").empty());
    }
    rig.close();
}

TEST(IncastWorkloadTest, every_byte_of_every_sender_arrives) {
    Rig rig(everything());
    expect_every_byte(rig);
}

TEST(IncastWorkloadTest, every_byte_that_is_written_into_the_receivers_memory_arrives) {
    IncastOptions options = everything();
    options.backend = "verbs";  // a plan of writes; the transport below does them
    Rig rig(options, std::make_unique<SharedMemoryTransport>());
    expect_every_byte(rig);
}

TEST(IncastWorkloadTest, rows_account_for_requests_of_the_window_and_what_was_in_flight) {
    IncastOptions options = single();
    options.rows_per_second = 0;
    Rig rig(options);
    const Seen seen = rig.run(rig.cases().front());
    const auto completed = seen.column("completed_ns");
    const auto elapsed = seen.column("elapsed_ns");
    EXPECT_EQ(sends(rig.cast(rig.cases().front())), !completed.empty());
    EXPECT_THAT(seen.column("bytes"), ::testing::Each(4096));
    EXPECT_THAT(seen.column("peer"), ::testing::Each(0));
    EXPECT_THAT(elapsed, ::testing::Each(::testing::Gt(0)));
    for (std::size_t i = 0; i < completed.size(); ++i) {
        EXPECT_GE(completed[i], 0);
        EXPECT_LT(completed[i] - elapsed[i], Rig::duration_ns) << "started after the window";
    }
    const auto queues = seen.column("queue");
    if (!completed.empty()) {
        EXPECT_EQ(std::set(queues.begin(), queues.end()), (std::set<std::int64_t>{0, 1}));
    }
    rig.close();
}

TEST(IncastWorkloadTest, a_ramp_starts_each_sender_a_step_later) {
    IncastOptions options = single();
    options.ramp = true;
    Rig rig(options);
    const Case& c = rig.cases().front();
    const Seen seen = rig.run(c);
    EXPECT_EQ(seen.result.status, CaseStatus::done);
    const auto completed = seen.column("completed_ns");
    const auto elapsed = seen.column("elapsed_ns");
    const std::int64_t step_ns = Rig::duration_ns / c.integer("senders");
    for (std::size_t i = 0; comm_rank() > 1 && i < completed.size(); ++i)
        EXPECT_GE(completed[i] - elapsed[i], step_ns * (comm_rank() - 1));
    rig.close();
}

TEST(IncastWorkloadTest, several_receivers_at_once_have_senders_of_their_own) {
    if (comm_size() < 4) GTEST_SKIP() << "takes four ranks";
    IncastOptions options = single();
    options.receivers = "at-once";
    Rig rig(options);
    const Case& c = rig.cases().front();
    const Seen seen = rig.run(c);
    EXPECT_EQ(seen.result.status, CaseStatus::done) << seen.result.reason;
    EXPECT_EQ(seen.result.checked_elements, 2 * bytes_to_check(c));
    EXPECT_EQ(seen.result.wrong_elements, 0u);
    EXPECT_THAT(seen.column("peer"), ::testing::Each(comm_rank() % 2));
    rig.close();
}

TEST(IncastWorkloadTest, a_victim_times_round_trips_alone_and_beside_the_incast) {
    if (comm_size() < 4) GTEST_SKIP() << "takes four ranks";
    for (const char* placed : {"other", "same-receiver"}) {
        IncastOptions options = single();
        options.victim = placed;
        options.victim_bytes = "100";
        Rig rig(options);
        for (const Case& c : rig.cases()) {
            SCOPED_TRACE(c.name());
            const Seen seen = rig.run(c);
            EXPECT_EQ(seen.result.status, CaseStatus::done) << seen.result.reason;
            const bool asks = rig.cast(c).victim->asker == comm_rank();
            const bool works = c.text("congestion") != "alone";
            const bool incast = c.text("congestion") != "isolated";
            EXPECT_EQ(seen.result.checked_elements,
                      (incast ? bytes_to_check(c) : 0) + (works ? 200u : 0u));
            EXPECT_EQ(seen.result.wrong_elements, 0u);
            if (asks) {
                EXPECT_EQ(works, !seen.column("role").empty());
                EXPECT_THAT(seen.column("role"), ::testing::Each(2));
            } else {
                EXPECT_THAT(seen.column("role"), ::testing::Each(1));
                EXPECT_TRUE(incast || seen.column("role").empty());
            }
        }
        rig.close();
    }
}

TEST(IncastWorkloadTest, one_flipped_byte_in_each_message_is_counted) {
    Rig rig(single(), std::make_unique<FlippingTransport>());
    const Case& c = rig.cases().front();
    const Seen seen = rig.run(c);
    EXPECT_EQ(seen.result.status, CaseStatus::wrong);
    EXPECT_EQ(seen.result.wrong_elements, bytes_to_check(c) / 4096);
    rig.close();
}

TEST(IncastWorkloadTest, payload_that_never_arrives_is_wrong_in_every_byte) {
    Rig rig(single(), std::make_unique<StrayingTransport>());
    const Case& c = rig.cases().front();
    EXPECT_EQ(rig.run(c).result.wrong_elements, bytes_to_check(c));
    rig.close();
}

/// A channel breaks in the window.
void expect_named_and_over(int rank, int peer) {
    Rig rig(single(), std::make_unique<BreakingTransport>(rank, peer, 40));
    const Seen seen = rig.run(rig.cases().front());
    EXPECT_EQ(seen.result.status, CaseStatus::failed);
    EXPECT_THAT(seen.result.reason, HasSubstr("rank " + std::to_string(rank) + " on host"));
    EXPECT_THAT(seen.result.reason, HasSubstr("the channel to rank " + std::to_string(peer)));
    if (sends(rig.cast(rig.cases().front())) && comm_rank() != rank && comm_rank() != peer) {
        EXPECT_GT(seen.column("bytes").size(), 0u) << "a sender that was well did not go on";
    }
}

TEST(IncastWorkloadTest, a_sender_whose_channel_breaks_is_named_and_the_others_finish) {
    expect_named_and_over(1, 0);
}

TEST(IncastWorkloadTest, a_receiver_whose_channel_breaks_is_named_and_the_others_finish) {
    expect_named_and_over(0, 1);
}

/// A channel breaks when the messages that follow the window are posted.
TEST(IncastWorkloadTest, a_channel_that_breaks_after_the_window_is_named_and_nobody_waits_for_it) {
    Rig rig(single(), std::make_unique<BreakingTransport>(1, 0, BreakingTransport::at_empties));
    const Seen seen = rig.run(rig.cases().front());
    EXPECT_EQ(seen.result.status, CaseStatus::failed);
    EXPECT_THAT(seen.result.reason, HasSubstr("the channel to rank 0 broke"));
}

TEST(IncastWorkloadTest, a_case_beyond_the_memory_is_refused_on_all_ranks_and_others_run) {
    Rig rig(single("1KiB,1MiB"), nullptr, {std::uint64_t{1} << 20, 4});
    EXPECT_EQ(rig.run(rig.cases().front()).result.status, CaseStatus::done);
    const Seen seen = rig.run(rig.cases().back());
    EXPECT_EQ(seen.result.status, CaseStatus::skipped);
    EXPECT_THAT(seen.result.reason, HasSubstr("the buffers of one rank take"));
    EXPECT_LT(seen.group, 0);
    rig.close();
}

TEST(IncastWorkloadTest, writes_are_refused_by_a_transport_that_has_none) {
    IncastOptions options = single();
    options.backend = "verbs";
    Rig rig(options);  // over MPI
    const Seen seen = rig.run(rig.cases().front());
    EXPECT_EQ(seen.result.status, CaseStatus::skipped);
    EXPECT_THAT(seen.result.reason, HasSubstr("transport mpi has no one-sided messages"));
    rig.close();
}

}  // namespace
}  // namespace railgauge
