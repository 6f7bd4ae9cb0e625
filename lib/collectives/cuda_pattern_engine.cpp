// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "collectives/kernels.hpp"
#include "collectives/pattern_engine.hpp"
#include "cuda/handles.hpp"
#include "memory/cuda.hpp"

namespace railgauge {
namespace {

/// Everything happens on one stream, and has happened when a method returns: libraries under test
/// use streams of their own.
class CudaPatternEngine : public PatternEngine {
  public:
    void fill(const PatternJob& job, void* out) override {
        launch_fill(on_gpu(job), out, stream_.get());
        wait();
    }

    std::uint64_t count_wrong(const PatternJob& job, const void* data) override {
        auto* const wrong = static_cast<unsigned long long*>(wrong_.data());
        check_cuda(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream_.get()), "clearing a counter");
        launch_verify(on_gpu(job), data, wrong, stream_.get());
        unsigned long long count = 0;
        check_cuda(
            cudaMemcpyAsync(&count, wrong, sizeof count, cudaMemcpyDeviceToHost, stream_.get()),
            "reading a counter");
        wait();
        return count;
    }

    void set_bytes(void* out, unsigned char value, std::size_t bytes) override {
        check_cuda(cudaMemsetAsync(out, value, bytes, stream_.get()), "setting GPU memory");
        wait();
    }

  private:
    PatternJob on_gpu(PatternJob job) {
        check_cuda(cudaMemcpyAsync(table_.data(), job.table, table_.size(), cudaMemcpyHostToDevice,
                                   stream_.get()),
                   "copying a pattern's table to the GPU");
        job.table = static_cast<const Ingredients*>(table_.data());
        return job;
    }

    void wait() { check_cuda(cudaStreamSynchronize(stream_.get()), "a kernel of a check round"); }

    std::unique_ptr<MemorySpace> memory_ = make_cuda_memory();
    CudaStream stream_ = make_stream();
    Buffer table_ = memory_->allocate(block_elements * sizeof(Ingredients));
    Buffer wrong_ = memory_->allocate(sizeof(unsigned long long));
};

}  // namespace

std::unique_ptr<PatternEngine> make_cuda_pattern_engine() {
    return std::make_unique<CudaPatternEngine>();
}

}  // namespace railgauge
