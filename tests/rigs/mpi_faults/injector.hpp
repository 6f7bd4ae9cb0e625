// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fault.hpp"

namespace railgauge::faults {

/// What a call received, for `corrupt`.
struct Received {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// Whether `function` is one that the rig can break.
bool is_interposed(const std::string& function);

/// The interposed function of a name: counts its calls and applies this rank's faults around them.
class Injector {
  public:
    explicit Injector(const char* function);

    /// Applies what comes before a call. @return the number of the call
    std::uint64_t before();
    void after(std::uint64_t call, Received received);

  private:
    std::vector<Fault> faults_;
    std::atomic<std::uint64_t> calls_{0};
};

}  // namespace railgauge::faults
