// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "watchdog/board_address.hpp"
#include "watchdog/expired_report.hpp"
#include "watchdog/frame.hpp"
#include "watchdog/judgement.hpp"
#include "watchdog/plan.hpp"

namespace railgauge::board {

/// What both sides need to know.
struct Setting {
    std::string program;
    std::string host;
    std::string job;
    std::string control_interface;
    std::filesystem::path rendezvous;
    std::string schema;
    Limits limits;
};

/// The end of this process by the deadline.
struct Expiry {
    std::optional<ExpiredReport> report;  ///< none: another rank says and writes it
};

/// This rank's side of the talk between ranks: rank 0 keeps the board, the rest report to it.
///
/// All methods are called by the watchdog's thread, and none waits long.
class Side {
  public:
    virtual ~Side() = default;

    /// The board that this rank keeps; none on ranks that report.
    virtual std::optional<BoardAddress> address() const = 0;

    /// After MPI_Init. @param address of rank 0's board, as it was broadcast
    virtual void connect(int rank, int size, const std::optional<BoardAddress>& address) = 0;

    /// Sends and takes in what is due. @return the end of the process, if it has come
    virtual std::optional<Expiry> step(Instant now, const Frame& own) = 0;

    /// How long the thread may sleep.
    virtual milliseconds longest_sleep() const = 0;

    /// Descriptors that cut the sleep short.
    virtual void add_wakers(std::vector<pollfd>& wakers) const = 0;

    /// The watchdog's thread did not run for `gap`.
    virtual void forgive(Instant::duration gap) = 0;

    /// Tells the others that this rank is about to end. @param own of the type that says how
    virtual void announce(const Frame& own) = 0;

    /// What to say when `signal` ends the process; empty when others say it, or have said what
    /// happened.
    virtual std::string describe_end_by(const std::string& signal, const Frame& own) = 0;

    /// Before a signal's end, on ranks other than 0: waits until rank 0 has ended, because Open
    /// MPI's launcher sends SIGKILL to all that are left as soon as the first process ends by
    /// SIGTERM, and rank 0 has last words and files.
    virtual void let_rank_0_end_first(const Frame& own, milliseconds limit) = 0;

    /// Gives up connections and files.
    virtual void close() = 0;
};

/// Rank 0's side: keeps the board, says who died, judges when the deadline has passed. Opens and
/// publishes the board. @throws Error(library) when it cannot listen
/// @param size of the job; -1 = not known yet
std::unique_ptr<Side> make_board_side(const Setting& setting, const Plan& plan, int size,
                                      Instant now);

/// The side of the others: reports to the board, leaves when it says so, and gives up by itself
/// when this rank does not get on and the board does not answer.
/// @param rank -1 = not known yet: nothing is reported until `connect`
std::unique_ptr<Side> make_rank_side(const Setting& setting, const Plan& plan, int rank,
                                     Instant now);

}  // namespace railgauge::board
