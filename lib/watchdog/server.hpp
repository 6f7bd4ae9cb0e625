// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <poll.h>

#include "watchdog/board_address.hpp"
#include "watchdog/frame.hpp"
#include "watchdog/rank_table.hpp"
#include "watchdog/sockets.hpp"

namespace railgauge::board {

/// The board's sockets on rank 0: takes the ranks' frames into the table of ranks.
///
/// A connection is a newcomer until its first frame shows the job's token. Newcomers are few and
/// have a few seconds; whatever is foreign, slow or garbled is dropped. Nothing here waits.
class Server {
  public:
    /// Listens at once. @throws Error(library) when it cannot
    Server(const std::string& interface, std::string job, std::string host, Instant now);

    const BoardAddress& address() const noexcept { return address_; }
    RankTable& table() noexcept { return table_; }
    const RankTable& table() const noexcept { return table_; }

    /// Takes in everything that has arrived. @param own answers newcomers, so that they know the
    /// board
    /// @return the ranks that turned out to have died, ascending
    std::vector<int> step(Instant now, const Frame& own);

    void tell_all(const Frame& frame);

    /// Descriptors that wake when a rank comes or closes its connection, not when it reports.
    void add_wakers(std::vector<pollfd>& wakers) const;

  private:
    struct Newcomer {
        Channel channel;
        Instant since;
    };

    void drop_late_newcomers(Instant now);
    void accept_newcomers(Instant now);
    void admit_newcomers(Instant now, const Frame& own);
    bool may_join(const Frame& frame, Instant now) const;
    void listen_to(int rank, Channel& channel, Instant now);

    Listener listener_;
    BoardAddress address_;
    RankTable table_;
    bool is_full_ =
        false;  ///< no descriptors left: those who wait must not wake the board for ever
    std::vector<Newcomer> newcomers_;
    std::map<int, Channel> ranks_;
};

}  // namespace railgauge::board
