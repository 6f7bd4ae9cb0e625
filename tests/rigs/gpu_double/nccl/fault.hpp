// SPDX-License-Identifier: Apache-2.0
// What tests ask to go wrong:
// RAILGAUGE_DOUBLE_FAULT="<rank>:<seq|*|init>:<hang|error|corrupt|slow>[:N],..."
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpu_double {

enum class FaultKind { hang, error, corrupt, slow };
enum class FaultMoment { init, any, one };

struct Fault {
    int rank = 0;
    FaultMoment moment = FaultMoment::any;
    std::uint64_t sequence = 0;
    FaultKind kind = FaultKind::hang;
    // Elements (corrupt) or microseconds (slow).
    long amount = 1;
};

// nullopt when one of them is misspelt.
std::optional<std::vector<Fault>> parse_faults(const std::string& text);

enum class Family { world, split };

// The faults of one rank in one communicator, as the environment has them when it is made.
// RAILGAUGE_DOUBLE_FAULT_COMM=world or split restricts them to one family.
class FaultPlan {
  public:
    FaultPlan(int rank, Family family);
    std::optional<Fault> at_init() const;
    std::optional<Fault> at(std::uint64_t sequence) const;

  private:
    std::vector<Fault> faults_;
};

}  // namespace gpu_double
