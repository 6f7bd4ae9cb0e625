// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/pattern_job.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {

/// Writes and checks known elements where buffers are: by the host, or by kernels of the GPU.
class PatternEngine {
  public:
    virtual ~PatternEngine() = default;

    /// @param job its table in the host's memory
    virtual void fill(const PatternJob& job, void* out) = 0;

    /// Elements of `data` that are wrong.
    virtual std::uint64_t count_wrong(const PatternJob& job, const void* data) = 0;

    /// Sets every byte.
    virtual void set_bytes(void* out, unsigned char value, std::size_t bytes) = 0;
};

std::unique_ptr<PatternEngine> make_host_pattern_engine();

/// @throws Error(usage) when the build lacks CUDA
std::unique_ptr<PatternEngine> make_cuda_pattern_engine();

/// The engine for buffers of `memory`.
std::unique_ptr<PatternEngine> make_pattern_engine(const MemorySpace& memory);

}  // namespace railgauge
