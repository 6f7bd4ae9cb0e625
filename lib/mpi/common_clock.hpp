// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mpi.h>

#include "measure/clock.hpp"
#include "mpi/placement.hpp"

namespace railgauge {

/// common time = this rank's clock + offset_ns, true to +- error_ns. The common clock is rank 0's.
struct ClockOffset {
    std::int64_t offset_ns = 0;
    std::int64_t error_ns = 0;
};

/// The clock that is common to all ranks, measured again as it ages.
///
/// Ranks whose kernel is rank 0's share its clock (offset 0, error 0). The leader of every other
/// kernel exchanges messages with rank 0, which keeps the exchange of least round trip; half of
/// that is the bound (Cristian's method). Between measurements clocks part: by the fastest drift
/// that two measurements have shown, until then by an assumed one.
class CommonClock {
  public:
    /// Collective.
    /// @param lasts_ns age at which keep() measures again; at first it does so sooner, to know the
    /// drift
    CommonClock(MPI_Comm comm, const Placement& placement, Clock clock, std::int64_t lasts_ns);

    /// Collective, between cases: measures again if rank 0 finds the last measurement too old.
    void keep();

    /// As last measured.
    const ClockOffset& offset() const { return mine_; }

    /// The largest bound of any rank's offset now, drift since it was measured included; 0 within
    /// one kernel.
    std::int64_t worst_error_ns() const;

  private:
    void measure();
    double drift_to(const std::vector<ClockOffset>& measured) const;

    MPI_Comm comm_;
    Clock clock_;
    std::int64_t lasts_ns_;
    std::int64_t lasts_now_ns_;
    int rank_ = 0;
    std::vector<int> leaders_;       ///< lowest rank of every kernel but rank 0's
    std::vector<int> leader_of_;     ///< of each rank
    std::vector<ClockOffset> last_;  ///< of each leader's rank
    ClockOffset mine_;
    std::int64_t worst_measured_ns_ = 0;
    std::int64_t measured_ns_ = 0;  ///< when; 0 = not yet
    std::optional<double> drift_;   ///< fastest seen, ns per ns
};

}  // namespace railgauge
