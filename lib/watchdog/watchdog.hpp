// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/progress.hpp"
#include "watchdog/library_watch.hpp"
#include "watchdog/plan.hpp"

namespace railgauge {

/// This rank's watchdog thread, and on rank 0 the board that all of them report to.
///
/// It uses neither MPI nor HDF5. It handles SIGTERM and SIGINT (the process ends with 128 + signal
/// once no file is being written), the death of a rank (rank 0 says at once which, and where) and
/// deadlines: when no rank got on for `deadline`, rank 0 says on stderr which ranks had not
/// entered, had not left or did not answer, writes `expired.json`, and the job ends with code 5. If
/// rank 0 itself does not answer, the others end a few seconds later and name it.
///
/// Constructed before MPI_Init, so that a rank that hangs or dies there is named too, by the
/// measuring thread, whose CPU time it watches. Ranks find the board by the rendezvous file where
/// they share its folder, else by `connect` after MPI_Init.
///
/// Ends the process by _exit: what stdout still buffers is lost, so flush every line that must not
/// be.
class Watchdog {
  public:
    struct Options {
        std::string program;
        int rank = -1;  ///< from the launcher, before MPI_Init; -1 = not said: waits for `connect`
        int size = -1;
        std::string host;
        std::chrono::nanoseconds deadline{0};  ///< 0 = none; signals and deaths are watched even so
        std::string control_interface;         ///< the board listens on its address; empty = any
        std::filesystem::path rendezvous;      ///< `<out>.board`; empty = none
        std::filesystem::path expired_report;  ///< `<out>.parts/expired.json`
        std::string schema;
        std::function<bool(int wait_ms)>
            wait_until_idle;  ///< Recorder::wait_until_idle; may be empty
    };

    /// Blocks SIGTERM and SIGINT in the calling thread (so in all threads started later; programs
    /// that the process starts inherit that) and starts the thread.
    /// @throws Error(library) on rank 0 when the board cannot listen on `control_interface`
    Watchdog(const Progress& progress, Options options);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// On rank 0, after MPI_Init: the line of text by which the others find the board. Opens the
    /// board now if the launcher had not said that this is rank 0. @throws Error(library) when it
    /// cannot listen
    std::string board_address();

    /// After MPI_Init: this rank's number, the job's size, and board_address() as rank 0 broadcast
    /// it.
    void connect(int rank, int size, const std::string& board_address);

    /// The plan, once the run's folder exists: from now on `expired.json` may be written there.
    void set_plan(std::string plan_id, std::vector<CaseLabel> labels);

    /// What to ask of the library under test from now on.
    void set_library(const LibraryWatch& library);

    /// This rank has said on stderr why it ends the job (before MPI_Abort): its closed connection
    /// is no death, and the signal with which the launcher then ends the ranks is no interruption.
    /// The watch goes on.
    void announce_failure();

    /// The clean end: the board learns that this rank leaves. Returns within 2 s, and signals end
    /// the process again as they did before.
    void close();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace railgauge
