// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "watchdog/server.hpp"
#include "watchdog/side.hpp"
#include "watchdog/wording.hpp"

namespace railgauge::board {
namespace {

// The launcher ends the ranks by a signal when one of them dies; its closed connection may be seen
// later.
constexpr milliseconds signal_grace{150};
constexpr milliseconds death_explains{5000};

std::vector<int> missing_ranks(const RankTable& table) {
    std::vector<int> missing;
    for (const RankEntry& entry : table.ranks()) {
        if (entry.link == Link::missing) missing.push_back(entry.rank);
    }
    return missing;
}

/// See make_board_side.
class BoardSide : public Side {
  public:
    BoardSide(const Setting& setting, const Plan& plan, int size, Instant now);

    std::optional<BoardAddress> address() const override { return server_.address(); }
    void connect(int rank, int size, const std::optional<BoardAddress>& address) override;
    std::optional<Expiry> step(Instant now, const Frame& own) override;
    milliseconds longest_sleep() const override;
    void add_wakers(std::vector<pollfd>& wakers) const override;
    void forgive(Instant::duration gap) override;
    void announce(const Frame& own) override;
    std::string describe_end_by(const std::string& signal, const Frame& own) override;
    void let_rank_0_end_first(const Frame&, milliseconds) override {}
    void close() override { rendezvous_.withdraw(); }

  private:
    void take_in(Instant now, const Frame& own);
    Expiry judge_now(Instant now);
    bool is_explained(Instant now) const;

    const Setting& setting_;
    const Plan& plan_;
    Server server_;
    Rendezvous rendezvous_;
    Instant next_beat_{};
    std::optional<Instant> last_death_;
};

BoardSide::BoardSide(const Setting& setting, const Plan& plan, int size, Instant now)
    : setting_(setting),
      plan_(plan),
      server_(setting.control_interface, setting.job, setting.host, now),
      rendezvous_(setting.rendezvous) {
    if (size > 0) server_.table().expect(size);
    if (size != 1) rendezvous_.publish(server_.address());
}

void BoardSide::connect(int, int size, const std::optional<BoardAddress>&) {
    server_.table().expect(size);
}

std::optional<Expiry> BoardSide::step(Instant now, const Frame& own) {
    take_in(now, own);
    if (now >= next_beat_) {
        server_.tell_all(own);
        next_beat_ = now + beat_interval(setting_.limits.deadline);
    }
    // Once all have come nobody needs the file, and a killed job leaves none behind.
    if (server_.table().is_complete()) rendezvous_.withdraw();
    if (!is_expired(server_.table(), setting_.limits, now)) return std::nullopt;
    return judge_now(now);
}

/// The board reads reports in batches: woken by each one of many ranks it would disturb rank 0.
/// Ranks that come or die wake it, because the launcher may end this process right after a death.
milliseconds BoardSide::longest_sleep() const {
    return std::min(milliseconds{200}, beat_interval(setting_.limits.deadline) / 2);
}

void BoardSide::add_wakers(std::vector<pollfd>& wakers) const {
    server_.add_wakers(wakers);
}

void BoardSide::forgive(Instant::duration gap) {
    server_.table().forgive(gap);
}

void BoardSide::announce(const Frame& own) {
    server_.table().note(own, Instant::clock::now());
    server_.tell_all(own);
}

void BoardSide::take_in(Instant now, const Frame& own) {
    const std::vector<int> dead = server_.step(now, own);
    if (dead.empty()) return;
    last_death_ = now;
    say(setting_.program, 0, describe_deaths(dead, server_.table().ranks(), own.at, plan_));
}

Expiry BoardSide::judge_now(Instant now) {
    const RankTable& table = server_.table();
    const auto elapsed = std::chrono::duration_cast<milliseconds>(now - table.last_progress());
    ExpiredReport report;
    report.schema = setting_.schema;
    report.ranks = table.ranks();
    report.judgement = judge(report.ranks, setting_.limits, now);
    report.deadline = setting_.limits.deadline;
    report.elapsed = elapsed;
    report.text = describe_expiry(report.judgement, report.ranks, plan_, elapsed);
    return {std::move(report)};
}

/// Whether stderr already tells why the job ends.
bool BoardSide::is_explained(Instant now) const {
    const auto& ranks = server_.table().ranks();
    const bool failed = std::any_of(ranks.begin(), ranks.end(), [](const RankEntry& entry) {
        return entry.link == Link::failed;
    });
    return failed || (last_death_ && now - *last_death_ < death_explains);
}

std::string BoardSide::describe_end_by(const std::string& signal, const Frame& own) {
    const Instant come = Instant::clock::now();
    Instant now = come;
    for (; now - come < signal_grace && !is_explained(now); now = Instant::clock::now()) {
        take_in(now, own);
        std::this_thread::sleep_for(milliseconds{10});
    }
    if (is_explained(now)) return "";
    return describe_interruption(signal, own.at, missing_ranks(server_.table()), plan_);
}

}  // namespace

std::unique_ptr<Side> make_board_side(const Setting& setting, const Plan& plan, int size,
                                      Instant now) {
    return std::make_unique<BoardSide>(setting, plan, size, now);
}

}  // namespace railgauge::board
