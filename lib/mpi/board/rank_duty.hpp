// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/board/client.hpp"
#include "mpi/board/duty.hpp"
#include "mpi/board/rendezvous.hpp"

namespace railgauge::board {

/// The duty of ranks other than 0: reports to the board, leaves when it says so, and gives up by
/// itself when this rank does not get on and the board does not answer.
class RankDuty : public Duty {
  public:
    /// @param rank -1 = not known yet: nothing is reported until `connect`
    RankDuty(const Setting& setting, const Plan& plan, int rank, Instant now);

    std::optional<BoardAddress> address() const override { return std::nullopt; }
    void connect(int rank, int size, const std::optional<BoardAddress>& address) override;
    std::optional<Expiry> step(Instant now, const Frame& own) override;
    milliseconds patience() const override;
    void add_wakers(std::vector<pollfd>& wakers) const override;
    void forgive(Instant::duration gap) override;
    void announce(const Frame& own) override;
    std::string describe_end_by(const std::string& signal, const Frame& own) override;
    void see_off(const Frame& own, milliseconds limit) override;
    void close() override;

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

}  // namespace railgauge::board
