// SPDX-License-Identifier: Apache-2.0
// For tests of the double: device buffers, and calls that must succeed.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)
#define EXPECT_NCCL(call) EXPECT_EQ(call, ncclSuccess)

template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        EXPECT_CUDA(cudaMalloc(&memory_, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        EXPECT_CUDA(cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cudaFree(memory_); }

    T* data() const { return static_cast<T*>(memory_); }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        EXPECT_CUDA(cudaMemcpy(values.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    void* memory_ = nullptr;
    std::size_t count_;
};

class Stream {
  public:
    Stream() { EXPECT_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }
    void synchronize() const { EXPECT_CUDA(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_ = nullptr;
};
