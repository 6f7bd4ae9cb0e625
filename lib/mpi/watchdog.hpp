// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/progress.hpp"

namespace railgauge {

/// Names of the planned cases, so that an expiry can say in which one.
struct CaseLabel {
  std::string name;
  std::string operation;
  std::uint64_t bytes = 0;
};

/// This rank's watchdog thread, and on rank 0 the board that all of them report to.
///
/// It uses neither MPI nor HDF5. It handles SIGTERM and SIGINT (the process ends with 128 + signal once no file
/// is being written) and deadlines: when no rank got on for `deadline`, rank 0 writes `<parts>/expired.json`,
/// says on stderr which ranks had not entered, had not left or did not answer, and the job ends with code 5.
///
/// Started before MPI_Init, so that a rank that hangs or dies there is named too. Ranks find the board by the
/// rendezvous file `<parts>/board` where they share that folder, else by `connect` after MPI_Init.
class Watchdog {
 public:
  struct Options {
    std::string program;
    int rank = -1;  ///< from the launcher, before MPI_Init; -1 = not said: the watchdog waits for `connect`
    int size = -1;
    std::string host;
    std::chrono::nanoseconds deadline{0};     ///< 0 = none
    std::string control_interface;            ///< the board listens on its address; empty = any
    std::filesystem::path rendezvous;         ///< `<parts>/board`; rank 0 writes it, mode 0600
    std::filesystem::path expired_report;     ///< `<parts>/expired.json`
    std::string schema;
    std::function<bool(int wait_ms)> wait_until_idle;  ///< Recorder::wait_until_idle
  };

  /// Blocks SIGTERM and SIGINT in the calling thread (so in all threads started later) and starts the thread.
  Watchdog(Progress& progress, Options options);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Rank 0: "address:port token" for the others. Empty when the board could not be opened (said on stderr).
  std::string board_address() const;

  /// After MPI_Init: rank, size and the address that rank 0 broadcast.
  void connect(int rank, int size, const std::string& board_address);

  /// The plan, once it is known.
  void set_plan(std::string plan_id, std::vector<CaseLabel> labels);

  /// The clean end: tells the board that this rank leaves, so that its closed connection is no death.
  void close();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace railgauge
