// SPDX-License-Identifier: Apache-2.0
#include "mpi/board/board_duty.hpp"

#include <algorithm>
#include <thread>

#include "mpi/board/say.hpp"
#include "mpi/board/wording.hpp"

namespace railgauge::board {
namespace {

// The launcher ends the ranks by a signal when one of them dies; its closed connection may be seen
// later.
constexpr milliseconds signal_grace{150};
constexpr milliseconds death_explains{5000};

std::vector<int> missing_ranks(const Roll& roll) {
    std::vector<int> missing;
    for (const RankEntry& entry : roll.ranks()) {
        if (entry.link == Link::missing) missing.push_back(entry.rank);
    }
    return missing;
}

}  // namespace

BoardDuty::BoardDuty(const Setting& setting, const Plan& plan, int size, Instant now)
    : setting_(setting),
      plan_(plan),
      server_(setting.control_interface, setting.job, setting.host, now),
      rendezvous_(setting.rendezvous) {
    if (size > 0) server_.roll().expect(size);
    if (size != 1) rendezvous_.publish(server_.address());
}

void BoardDuty::connect(int, int size, const std::optional<BoardAddress>&) {
    server_.roll().expect(size);
}

std::optional<Expiry> BoardDuty::step(Instant now, const Frame& own) {
    take_in(now, own);
    if (now >= next_beat_) {
        server_.tell_all(own);
        next_beat_ = now + beat_interval(setting_.limits.deadline);
    }
    // Once all have come nobody needs the file, and a killed job leaves none behind.
    if (server_.roll().is_complete()) rendezvous_.withdraw();
    if (!is_expired(server_.roll(), setting_.limits, now)) return std::nullopt;
    return judge_now(now);
}

/// The board reads reports in batches: woken by each one of many ranks it would disturb rank 0.
/// Ranks that come or die wake it, because the launcher may end this process right after a death.
milliseconds BoardDuty::patience() const {
    return std::min(milliseconds{200}, beat_interval(setting_.limits.deadline) / 2);
}

void BoardDuty::add_wakers(std::vector<pollfd>& wakers) const {
    server_.add_wakers(wakers);
}

void BoardDuty::forgive(Instant::duration gap) {
    server_.roll().forgive(gap);
}

void BoardDuty::announce(const Frame& own) {
    server_.roll().note(own, Instant::clock::now());
    server_.tell_all(own);
}

void BoardDuty::take_in(Instant now, const Frame& own) {
    const std::vector<int> dead = server_.step(now, own);
    if (dead.empty()) return;
    last_death_ = now;
    say(setting_.program, 0, describe_deaths(dead, server_.roll().ranks(), own.at, plan_));
}

Expiry BoardDuty::judge_now(Instant now) {
    const Roll& roll = server_.roll();
    const auto elapsed = std::chrono::duration_cast<milliseconds>(now - roll.last_progress());
    ExpiredReport report;
    report.schema = setting_.schema;
    report.ranks = roll.ranks();
    report.judgement = judge(report.ranks, setting_.limits, now);
    report.deadline = setting_.limits.deadline;
    report.elapsed = elapsed;
    report.text = describe_expiry(report.judgement, report.ranks, plan_, elapsed);
    return {report.text, report};
}

/// Whether stderr already tells why the job ends.
bool BoardDuty::is_explained(Instant now) const {
    const auto& ranks = server_.roll().ranks();
    const bool failed = std::any_of(ranks.begin(), ranks.end(), [](const RankEntry& entry) {
        return entry.link == Link::failed;
    });
    return failed || (last_death_ && now - *last_death_ < death_explains);
}

std::string BoardDuty::describe_end_by(const std::string& signal, const Frame& own) {
    const Instant come = Instant::clock::now();
    Instant now = come;
    for (; now - come < signal_grace && !is_explained(now); now = Instant::clock::now()) {
        take_in(now, own);
        std::this_thread::sleep_for(milliseconds{10});
    }
    if (is_explained(now)) return "";
    return describe_interruption(signal, own.at, missing_ranks(server_.roll()), plan_);
}

void BoardDuty::see_off(const Frame&, milliseconds) {}

void BoardDuty::close() {
    rendezvous_.withdraw();
}

}  // namespace railgauge::board
