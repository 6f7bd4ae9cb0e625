// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "watchdog/client.hpp"
#include "watchdog/side.hpp"
#include "watchdog/wording.hpp"

namespace railgauge::board {
namespace {

constexpr milliseconds at_once{20};
constexpr milliseconds soon{200};

/// How much later than the deadline a rank gives up by itself. The first rank speaks for all: its
/// end makes the launcher end the others.
milliseconds giving_up_delay(int rank) {
    return milliseconds{3000} + std::clamp(rank - 1, 0, 3) * milliseconds{400};
}

/// See make_rank_side.
class RankSide : public Side {
  public:
    RankSide(const Setting& setting, const Plan& plan, int rank, Instant now);

    std::optional<BoardAddress> address() const override { return std::nullopt; }
    void connect(int rank, int size, const std::optional<BoardAddress>& address) override;
    std::optional<Expiry> step(Instant now, const Frame& own) override;
    milliseconds longest_sleep() const override;
    void add_wakers(std::vector<pollfd>& wakers) const override;
    void forgive(Instant::duration gap) override;
    void announce(const Frame& own) override;
    std::string describe_end_by(const std::string& signal, const Frame& own) override;
    void let_rank_0_end_first(const Frame& own, milliseconds limit) override;
    void close() override { client_.close(); }

  private:
    void look_for_board(Instant now);
    void notice_death_of_board(const Frame& own);
    bool is_lost(Instant now, const Frame& own) const;
    Expiry give_up(const Frame& own);

    const Setting& setting_;
    const Plan& plan_;
    int rank_;
    Rendezvous rendezvous_;
    Client client_;
    Instant started_;
    Instant next_look_{};
    bool is_told_ = false;
    Link board_link_ = Link::missing;
};

RankSide::RankSide(const Setting& setting, const Plan& plan, int rank, Instant now)
    : setting_(setting),
      plan_(plan),
      rank_(rank),
      rendezvous_(setting.rendezvous),
      client_(beat_interval(setting.limits.deadline)),
      started_(now) {}

void RankSide::connect(int rank, int, const std::optional<BoardAddress>& address) {
    if (rank != rank_) client_.close();  // the launcher's number was another: introduce anew
    rank_ = rank;
    if (!address) return;  // the file is still all there is
    is_told_ = true;
    client_.set_target(*address);
}

std::optional<Expiry> RankSide::step(Instant now, const Frame& own) {
    if (rank_ > 0) {
        look_for_board(now);
        client_.step(now, own);
        notice_death_of_board(own);
    }
    if (client_.is_expired()) return Expiry{};
    if (is_lost(now, own)) return give_up(own);
    return std::nullopt;
}

milliseconds RankSide::longest_sleep() const {
    const milliseconds interval = beat_interval(setting_.limits.deadline);
    if (client_.is_connected() || rank_ < 0) return interval;
    const bool starting = Instant::clock::now() - started_ < milliseconds{2000};
    return starting ? at_once : std::min(interval, soon);
}

void RankSide::add_wakers(std::vector<pollfd>& wakers) const {
    client_.add_wakers(wakers);
}

void RankSide::forgive(Instant::duration gap) {
    started_ += gap;
}

void RankSide::announce(const Frame& own) {
    client_.tell(own);
}

/// Rank 0 speaks for all, unless it may be the one that died: then rank 1 does.
std::string RankSide::describe_end_by(const std::string& signal, const Frame& own) {
    client_.step(Instant::clock::now(), own);
    notice_death_of_board(own);
    const bool may_be_dead = client_.board().link == Link::missing && own.at.phase <= Phase::init;
    if (rank_ != 1 || !may_be_dead) return "";
    return describe_interruption(signal, own.at, {0}, plan_);
}

void RankSide::let_rank_0_end_first(const Frame& own, milliseconds limit) {
    const bool was_connected = client_.is_connected();
    const Instant begin = Instant::clock::now();
    for (Instant now = begin; now - begin < limit; now = Instant::clock::now()) {
        std::vector<pollfd> wakers;
        client_.add_wakers(wakers);
        ::poll(wakers.data(), wakers.size(), static_cast<int>(at_once.count()));
        client_.step(now, own);
        const bool has_ended =
            was_connected ? !client_.is_connected() : client_.board().link == Link::gone;
        if (has_ended) return;
    }
}

/// Before MPI_Init the file is all there is; afterwards rank 0's word is better.
void RankSide::look_for_board(Instant now) {
    if (is_told_ || client_.is_connected() || now < next_look_) return;
    const bool starting = now - started_ < milliseconds{2000};
    next_look_ = now + (starting ? at_once : soon);
    if (const auto address = rendezvous_.find(setting_.job)) client_.set_target(*address);
}

void RankSide::notice_death_of_board(const Frame& own) {
    const Link before = std::exchange(board_link_, client_.board().link);
    if (board_link_ != Link::gone || before == Link::gone || rank_ != 1) return;
    say(setting_.program, rank_, describe_deaths({0}, {client_.board()}, own.at, plan_));
}

bool RankSide::is_lost(Instant now, const Frame& own) const {
    const milliseconds deadline = setting_.limits.deadline;
    if (deadline == milliseconds{0} || own.idle < deadline + giving_up_delay(rank_)) return false;
    return now - std::max(client_.board().heard, started_) >= deadline;
}

Expiry RankSide::give_up(const Frame& own) {
    ExpiredReport report;
    report.schema = setting_.schema;
    report.deadline = setting_.limits.deadline;
    report.elapsed = own.idle;
    report.text = describe_lost_board(client_.board(), own.at, plan_, own.idle);
    RankEntry self;
    self.rank = rank_;
    self.link = Link::connected;
    self.host = own.host;
    self.at = own.at;
    self.cpu_ms = own.cpu_ms;
    self.library_error = own.library_error;
    const bool died = client_.board().link == Link::gone;
    report.ranks = {client_.board(), self};
    report.judgement.states = {died ? RankState::gone : RankState::silent, RankState::inside};
    report.judgement.suspects = {0};
    report.judgement.evidence = died ? Evidence::died : Evidence::no_answer;
    report.judgement.place = own.at;
    return {std::move(report)};
}

}  // namespace

std::unique_ptr<Side> make_rank_side(const Setting& setting, const Plan& plan, int rank,
                                     Instant now) {
    return std::make_unique<RankSide>(setting, plan, rank, now);
}

}  // namespace railgauge::board
