// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/handles.hpp"
#include "measure/sample.hpp"

namespace railgauge {

/// Times samples on the GPU by two events each. Pairs of events are made beforehand and used again
/// after each block: nothing is allocated between begin() and end().
class EventTimer {
  public:
    /// Samples of a block at most.
    static constexpr std::size_t block_samples = 4096;

    EventTimer();

    /// Before the timed loop: room for so many samples.
    void reserve(std::size_t samples);

    void begin(cudaStream_t stream) {
        check_cuda(cudaEventRecord(pairs_[next_].begin.get(), stream), "recording a CUDA event");
    }
    void end(cudaStream_t stream) {
        check_cuda(cudaEventRecord(pairs_[next_].end.get(), stream), "recording a CUDA event");
        next_ = (next_ + 1) % block_samples;
    }

    /// Between blocks, when everything has completed: reads the times of the last `samples`.
    void collect(std::size_t samples);

    /// Nanoseconds, of all samples that were collected since reserve().
    std::span<const Cell> times_ns() const { return times_ns_; }

  private:
    struct Pair {
        CudaEvent begin;
        CudaEvent end;
    };
    std::vector<Pair> pairs_;
    std::size_t next_ = 0;
    std::vector<Cell> times_ns_;
};

}  // namespace railgauge
