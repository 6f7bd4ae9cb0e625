// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <poll.h>

#include "mpi/board/address.hpp"
#include "mpi/board/channel.hpp"
#include "mpi/board/listener.hpp"
#include "mpi/board/roll.hpp"

namespace railgauge::board {

/// The board's sockets on rank 0: takes the ranks' frames into the Roll.
///
/// A connection is a guest until its first frame shows the job's token. Guests are few and have a
/// few seconds; whatever is foreign, slow or garbled is dropped. Nothing here waits.
class Server {
  public:
    /// Listens at once. @throws Error(library) when it cannot
    Server(const std::string& interface, std::string job, std::string host, Instant now);

    const BoardAddress& address() const noexcept { return address_; }
    Roll& roll() noexcept { return roll_; }
    const Roll& roll() const noexcept { return roll_; }

    /// Takes in everything that has arrived. @param own answers newcomers, so that they know the
    /// board
    /// @return the ranks that turned out to have died, ascending
    std::vector<int> step(Instant now, const Frame& own);

    void tell_all(const Frame& frame);

    /// Descriptors that wake when a rank comes or closes its connection, not when it reports.
    void add_wakers(std::vector<pollfd>& wakers) const;

  private:
    struct Guest {
        Channel channel;
        Instant since;
    };

    void drop_late_guests(Instant now);
    void accept_guests(Instant now);
    void admit_guests(Instant now, const Frame& own);
    bool is_welcome(const Frame& frame, Instant now) const;
    void listen_to(int rank, Channel& channel, Instant now);

    Listener listener_;
    BoardAddress address_;
    Roll roll_;
    bool is_full_ =
        false;  ///< no descriptors left: those who wait must not wake the board for ever
    std::vector<Guest> guests_;
    std::map<int, Channel> ranks_;
};

}  // namespace railgauge::board
