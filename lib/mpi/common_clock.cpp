// SPDX-License-Identifier: Apache-2.0
#include "mpi/common_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "mpi/check.hpp"

namespace railgauge {
namespace {

/// Age at which the first measurement is repeated; later ones may last longer.
constexpr std::int64_t first_lasts_ns = 1'000'000'000;

/// 10 us a second: what crystals of one type part by when nothing disciplines them.
constexpr double assumed_drift = 1e-5;

constexpr int exchanges = 40;
constexpr int tag = 17;
constexpr const char* synchronising = "synchronising clocks";

/// The lowest rank with this rank's kernel, for each rank.
std::vector<int> find_leaders(const Placement& placement) {
    std::vector<int> leader_of;
    std::map<std::string, int> first;
    for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
        const Placement::Node& node =
            placement.nodes[static_cast<std::size_t>(placement.ranks[rank].node)];
        // An unreadable boot id tells nothing: such a node counts as a kernel of its own.
        const std::string kernel = node.boot_id == "unknown" ? "host " + node.host : node.boot_id;
        leader_of.push_back(first.emplace(kernel, static_cast<int>(rank)).first->second);
    }
    return leader_of;
}

void answer(MPI_Comm comm, Clock clock) {
    for (int i = 0; i < exchanges; ++i) {
        std::int64_t time_ns = 0;
        check_mpi(MPI_Recv(&time_ns, 1, MPI_INT64_T, 0, tag, comm, MPI_STATUS_IGNORE),
                  synchronising);
        time_ns = clock.now_ns();
        check_mpi(MPI_Send(&time_ns, 1, MPI_INT64_T, 0, tag, comm), synchronising);
    }
}

ClockOffset ask(MPI_Comm comm, int leader, Clock clock) {
    ClockOffset best{0, std::numeric_limits<std::int64_t>::max()};
    for (int i = 0; i < exchanges; ++i) {
        const std::int64_t sent_ns = clock.now_ns();
        std::int64_t theirs_ns = sent_ns;
        check_mpi(MPI_Send(&theirs_ns, 1, MPI_INT64_T, leader, tag, comm), synchronising);
        check_mpi(MPI_Recv(&theirs_ns, 1, MPI_INT64_T, leader, tag, comm, MPI_STATUS_IGNORE),
                  synchronising);
        const std::int64_t received_ns = clock.now_ns();
        const std::int64_t error_ns = (received_ns - sent_ns + 1) / 2;
        if (error_ns < best.error_ns)
            best = {sent_ns + (received_ns - sent_ns) / 2 - theirs_ns, error_ns};
    }
    return best;
}

}  // namespace

CommonClock::CommonClock(MPI_Comm comm, const Placement& placement, Clock clock,
                         std::int64_t lasts_ns)
    : comm_(comm),
      clock_(clock),
      lasts_ns_(lasts_ns),
      lasts_now_ns_(std::min(first_lasts_ns, lasts_ns)),
      leader_of_(find_leaders(placement)),
      last_(placement.ranks.size()) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "asking for a rank");
    const std::set<int> leaders(leader_of_.begin(), leader_of_.end());
    leaders_.assign(std::next(leaders.begin()), leaders.end());  // without rank 0
    measure();
}

void CommonClock::keep() {
    int is_old = clock_.now_ns() - measured_ns_ > lasts_now_ns_ ? 1 : 0;
    check_mpi(MPI_Bcast(&is_old, 1, MPI_INT, 0, comm_), synchronising);
    if (is_old == 0) return;
    measure();
    lasts_now_ns_ = std::min(2 * lasts_now_ns_, lasts_ns_);
}

std::int64_t CommonClock::worst_error_ns() const {
    if (leaders_.empty()) return 0;
    const auto age_ns = static_cast<double>(clock_.now_ns() - measured_ns_);
    return worst_measured_ns_ + static_cast<std::int64_t>(drift_.value_or(assumed_drift) * age_ns);
}

void CommonClock::measure() {
    std::vector<ClockOffset> measured(last_.size());
    for (const int leader : leaders_) {
        if (rank_ == leader) answer(comm_, clock_);
        if (rank_ == 0) measured[static_cast<std::size_t>(leader)] = ask(comm_, leader, clock_);
    }
    static_assert(sizeof(ClockOffset) == 2 * sizeof(std::int64_t));
    check_mpi(
        MPI_Bcast(measured.data(), static_cast<int>(2 * measured.size()), MPI_INT64_T, 0, comm_),
        synchronising);
    if (measured_ns_ != 0) drift_ = std::max(drift_.value_or(0), drift_to(measured));
    worst_measured_ns_ = 0;
    for (const ClockOffset& offset : measured)
        worst_measured_ns_ = std::max(worst_measured_ns_, offset.error_ns);
    mine_ = measured[static_cast<std::size_t>(leader_of_[static_cast<std::size_t>(rank_)])];
    last_ = std::move(measured);
    measured_ns_ = clock_.now_ns();
}

/// The fastest drift of any leader's clock since the last measurement, ns per ns.
double CommonClock::drift_to(const std::vector<ClockOffset>& measured) const {
    const std::int64_t between_ns = std::max<std::int64_t>(clock_.now_ns() - measured_ns_, 1);
    std::int64_t largest_ns = 0;
    for (std::size_t i = 0; i < measured.size(); ++i)
        largest_ns = std::max(largest_ns, std::abs(measured[i].offset_ns - last_[i].offset_ns));
    return static_cast<double>(largest_ns) / static_cast<double>(between_ns);
}

}  // namespace railgauge
