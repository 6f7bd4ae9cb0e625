// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <dlfcn.h>

#include "base/destroyer.hpp"
#include "nccl_profiler_v5.hpp"

namespace railgauge::nccl_profiler {

/// Plays NCCL's part: loads the plugin that NCCL_PROFILER_PLUGIN names, as NCCL does, and reports
/// operations to it.
class PlayedNccl {
  public:
    PlayedNccl();

    Profiler& profiler() const { return *profiler_; }
    int mask() const;
    int* mask_address() { return &mask_; }

  private:
    std::unique_ptr<void, Destroyer<&::dlclose>> library_;
    Profiler* profiler_ = nullptr;
    int mask_ = -1;
};

/// One communicator of it.
class PlayedCommunicator {
  public:
    explicit PlayedCommunicator(PlayedNccl& nccl);
    ~PlayedCommunicator();
    PlayedCommunicator(const PlayedCommunicator&) = delete;
    PlayedCommunicator& operator=(const PlayedCommunicator&) = delete;

    struct Collective {
        const char* operation = "AllReduce";
        const char* algorithm = "RING";
        const char* protocol = "SIMPLE";
        std::uint8_t channels = 8;
        std::size_t elements = 1024;
        const char* datatype = "ncclFloat32";
    };
    void launch(const Collective& collective);
    void launch_send(std::uint8_t channels);

  private:
    void report(EventDescription& description);

    PlayedNccl& nccl_;
    void* context_ = nullptr;
};

}  // namespace railgauge::nccl_profiler
