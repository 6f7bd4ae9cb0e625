// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "mpi/board/address.hpp"
#include "mpi/board/expired_report.hpp"
#include "mpi/board/judgement.hpp"

namespace railgauge::board {

/// What a duty needs to know; the same for both kinds.
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
    std::string text;                     ///< empty: another rank has said it
    std::optional<ExpiredReport> report;  ///< none: another rank writes it
};

/// What a rank's watchdog does about the others: rank 0 keeps the board, the rest report to it.
///
/// All methods are called by the watchdog's thread (the constructor excepted), and none waits long.
class Duty {
  public:
    virtual ~Duty() = default;

    /// The board that this rank keeps; none on ranks that report.
    virtual std::optional<BoardAddress> address() const = 0;

    /// After MPI_Init. @param address of rank 0's board, as it was broadcast
    virtual void connect(int rank, int size, const std::optional<BoardAddress>& address) = 0;

    /// Sends and takes in what is due. @return the end of the process, if it has come
    virtual std::optional<Expiry> step(Instant now, const Frame& own) = 0;

    /// How long the thread may sleep.
    virtual milliseconds patience() const = 0;

    /// Descriptors that cut the sleep short.
    virtual void add_wakers(std::vector<pollfd>& wakers) const = 0;

    /// The watchdog's thread did not run for `gap`.
    virtual void forgive(Instant::duration gap) = 0;

    /// Tells the others that this rank is about to end. @param own of the type that says how
    virtual void announce(const Frame& own) = 0;

    /// What to say when `signal` ends the process; empty when others say it, or have said what
    /// happened.
    virtual std::string describe_end_by(const std::string& signal, const Frame& own) = 0;

    /// Before a signal's end: waits until rank 0 has ended, because Open MPI's launcher sends
    /// SIGKILL to all that are left as soon as the first process ends by SIGTERM, and rank 0 has
    /// last words and files.
    virtual void see_off(const Frame& own, milliseconds limit) = 0;

    /// Gives up connections and files.
    virtual void close() = 0;
};

}  // namespace railgauge::board
