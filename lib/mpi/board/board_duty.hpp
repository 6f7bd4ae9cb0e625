// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpi/board/duty.hpp"
#include "mpi/board/rendezvous.hpp"
#include "mpi/board/server.hpp"

namespace railgauge::board {

/// Rank 0's duty: keeps the board, publishes it, says who died, judges when the deadline has
/// passed.
class BoardDuty : public Duty {
  public:
    /// Opens and publishes the board. @throws Error(library) when it cannot listen
    /// @param size of the job; -1 = not known yet
    BoardDuty(const Setting& setting, const Plan& plan, int size, Instant now);

    std::optional<BoardAddress> address() const override { return server_.address(); }
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

}  // namespace railgauge::board
