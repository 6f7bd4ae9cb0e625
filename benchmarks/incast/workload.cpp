// SPDX-License-Identifier: Apache-2.0
#include "incast/workload.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "measure/clock.hpp"

namespace railgauge {
namespace {

/// How long nothing may happen after a window before the ranks that are waited for are named.
constexpr std::int64_t patience_ns = 5'000'000'000;

/// Of a rank that has nothing to do in a window: the peers' writes need no help.
constexpr std::chrono::microseconds nap{100};

/// What this rank's part in the largest case takes that will not be refused.
std::size_t largest_needed_bytes(const IncastPlan& plan, int rank, const Transport& transport,
                                 MemoryShare share) {
    std::size_t largest = 0;
    for (std::size_t i = 0; i < plan.cases.size(); ++i) {
        const IncastCall call = call_of_incast(plan.cases[i]);
        const Cast& cast = plan.cast(static_cast<int>(i));
        if (call.bytes > transport.capabilities().most_bytes) continue;
        if (largest_size(cast, call) > share.bytes) continue;
        largest = std::max(largest, size_of(parts_of(rank, cast, call)));
    }
    return largest;
}

CommonCells common_cells(const IncastPlan& plan, const Fleet& fleet) {
    CommonCells common;
    const std::vector<int> rails = fleet.rails();
    if (rails.size() == 1) common.rail = rails.front();
    const auto has = [&](auto holds) {
        return std::any_of(plan.cases.begin(), plan.cases.end(),
                           [&](const Case& c) { return holds(call_of_incast(c)); });
    };
    if (!has([](const IncastCall& call) { return call.queues > 1; })) common.queue = 0;
    if (!has([](const IncastCall& call) { return call.congestion != Congestion::alone; }))
        common.role = Role::sender;
    return common;
}

/// Senders of a ramp start in equal steps of the window, the first of them before it.
std::int64_t start_delay_ns(const Case& c, const Part& part) {
    if (c.text("ramp") != "on" || part.place == 0) return -1;
    return c.integer("duration_ns") / c.integer("senders") * part.place;
}

}  // namespace

IncastWorkload::IncastWorkload(MPI_Comm comm, std::unique_ptr<Transport> transport,
                               std::unique_ptr<MemorySpace> memory, const IncastPlan& plan,
                               const Fleet& fleet, MemoryShare share)
    : comm_(Communicator::duplicate(comm)),
      transport_(std::move(transport)),
      memory_(std::move(memory)),
      plan_(plan),
      fleet_(fleet),
      share_(share),
      common_(common_cells(plan, fleet)),
      buffer_(transport_->allocate(*memory_,
                                   largest_needed_bytes(plan, comm_.rank(), *transport_, share))) {}

IncastWorkload::~IncastWorkload() {
    if (transport_) transport_->abandon();
}

void IncastWorkload::prepare(const Case& c) {
    disconnect();
    case_id_ = c.id();
    call_ = call_of_incast(c);
    const Cast& cast = plan_.cast(c.id());
    require_fit(cast);
    connect(c, cast);
    group_ = group_of(rank(), cast, call_);
    if (!transport_->capabilities().receives_ahead) return;
    for (const auto& connection : connections_)
        connection->flow().stand_ready();
}

Traffic IncastWorkload::traffic() const {
    return {call_.bytes, call_.bytes, std::numeric_limits<double>::quiet_NaN()};
}

void IncastWorkload::run(const Window& window, SampleSink& sink) {
    for (const auto& connection : connections_)
        connection->guard([&](Flow& flow) { flow.begin_window(window, sink); });
    run_until_over(window.end_ns);
    raise_failure();
}

CheckTally IncastWorkload::check() {
    const auto round = static_cast<std::uint64_t>(case_id_);
    SlotPayload payload(*memory_, *buffer_);
    for (const auto& connection : connections_)
        connection->lay_out(payload, rank(), round, alive_);
    for (const auto& connection : connections_)
        connection->guard([](Flow& flow) { flow.begin_check(); });
    run_until_over(monotonic_now_ns());
    raise_failure();
    CheckTally tally;
    for (const auto& connection : connections_) {
        const CheckTally own = connection->compare(payload, round, alive_);
        tally.checked += own.checked;
        tally.wrong += own.wrong;
    }
    return tally;
}

void IncastWorkload::close() {
    disconnect();
    buffer_.reset();
    transport_->close();
    transport_.reset();
    comm_.close();
}

void IncastWorkload::require_fit(const Cast& cast) const {
    const Capabilities capabilities = transport_->capabilities();
    if (call_.bytes > capabilities.most_bytes) {
        throw Error(ExitCode::usage, fmt::format("a message of {}", format_bytes(call_.bytes)),
                    fmt::format("transport {} sends at most {}", transport_->name(),
                                format_bytes(capabilities.most_bytes)),
                    "use smaller --sizes");
    }
    if (call_.verb == Verb::write && !capabilities.one_sided) {
        throw Error(ExitCode::usage, "--verb write cannot be had",
                    fmt::format("transport {} has no one-sided messages", transport_->name()),
                    "use --verb send");
    }
    require_share(largest_size(cast, call_), share_, *memory_);
}

/// All connections are tried, so that nobody waits for a rank that gave up at its first.
void IncastWorkload::connect(const Case& c, const Cast& cast) {
    std::optional<Error> failure;
    for (const Part& part : parts_of(rank(), cast, call_)) {
        try {
            connections_.push_back(
                std::make_unique<Connection>(*transport_, *buffer_, comm_.get(), case_id_, call_,
                                             part, rows_of(c, part), start_delay_ns(c, part)));
        } catch (const StrandedError&) {
            throw;
        } catch (const Error& error) {
            if (!failure) failure = error;
        }
    }
    if (failure) throw Error(*failure);
}

void IncastWorkload::disconnect() {
    group_ = -1;
    const auto ending = std::move(connections_);
    connections_.clear();
    for (const auto& connection : ending)
        connection->close();
}

RowSource IncastWorkload::rows_of(const Case& c, const Part& part) const {
    const bool asks = part.task == Task::ask;
    return {common_,
            c.integer("rows_per_second"),
            {part.peer, fleet_.rail_of(rank()), asks ? Role::victim : Role::sender, part.area.bytes,
             part.area.queues}};
}

/// Gives each connection a step in turn until all are over.
void IncastWorkload::run_until_over(std::int64_t end_ns) {
    std::int64_t last_ns = end_ns;
    bool named = false;
    for (;;) {
        const std::int64_t now_ns = monotonic_now_ns();
        bool over = true;
        bool happened = false;
        bool passive = now_ns < end_ns;
        for (const auto& connection : connections_) {
            if (connection->is_over()) continue;
            over = false;
            happened |= connection->step(now_ns);
            passive &= connection->flow().is_passive();
        }
        if (over) return;
        if (happened) {
            alive_();
            last_ns = std::max(last_ns, now_ns);
        } else if (passive) {
            std::this_thread::sleep_for(nap);
        } else if (!named && now_ns > last_ns + patience_ns) {
            name_missing();
            named = true;
        }
    }
}

void IncastWorkload::name_missing() const {
    std::vector<int> peers;
    for (const auto& connection : connections_)
        if (!connection->is_over()) peers.push_back(connection->peer());
    log_here("case {}: still waits for rank {}", case_id_, fmt::join(peers, ", "));
}

void IncastWorkload::raise_failure() const {
    for (const auto& connection : connections_) {
        const std::optional<Error>& failure = connection->failure();
        if (!failure) continue;
        if (transport_->capabilities().receives_ahead) throw Error(*failure);
        throw StrandedError(*failure);  // its messages would reach the next case
    }
}

}  // namespace railgauge
