// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "base/destroyer.hpp"
#include "nccl/profiler_exchange.hpp"

namespace railgauge {

/// One way NCCL ran an operation, and how often. Algorithm and protocol of a point-to-point
/// operation are empty: NCCL names none.
struct AlgorithmUse {
    std::string operation;
    std::string algorithm;
    std::string protocol;
    std::uint32_t channels = 0;
    std::uint64_t times = 0;
    std::uint64_t fewest_elements = 0;
    std::uint64_t most_elements = 0;
    std::string datatype;

    bool operator==(const AlgorithmUse&) const = default;
};

/// The program's side of the profiler plugin that NCCL loads into the same process: which
/// algorithm, protocol and channels NCCL chose. Without a plugin, or with the user's own, nothing
/// is known; that is never an error.
class NcclProfiler {
  public:
    NcclProfiler() = default;
    ~NcclProfiler() { deactivate(); }
    NcclProfiler(const NcclProfiler&) = delete;
    NcclProfiler& operator=(const NcclProfiler&) = delete;

    /// Loads the plugin (RAILGAUGE_NCCL_PROFILER, else the one beside this executable; the variable
    /// set to nothing means none) and names it to NCCL by NCCL_PROFILER_PLUGIN, unless the user has
    /// set that. Only before the first communicator, and before other threads read the environment.
    void arm();
    bool armed() const noexcept { return plugin_ != nullptr; }

    /// Why nothing will be known; empty when armed.
    const std::string& absence() const noexcept { return absence_; }

    /// Between these, NCCL reports what it launches: outside timed loops only. Synchronise the
    /// streams before deactivating, for NCCL may report from a thread of its own.
    void activate() noexcept;
    void deactivate() noexcept;

    /// What was seen since the last take; empty when unknown. A last entry "more" counts what the
    /// plugin had no room for.
    std::vector<AlgorithmUse> take();

  private:
    using Library = std::unique_ptr<void, Destroyer<&::dlclose>>;

    std::string load(const std::string& path);

    Library plugin_;
    ProfilerSetActive set_active_ = nullptr;
    ProfilerReset reset_ = nullptr;
    ProfilerRead read_ = nullptr;
    std::string absence_ = "not armed";
};

}  // namespace railgauge
