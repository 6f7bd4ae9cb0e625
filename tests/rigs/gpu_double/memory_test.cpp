// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "check.hpp"
#include "gpu_double.hpp"

namespace {

TEST(GpuDoubleMemoryDeathTest, device_memory_cannot_be_read_by_the_host) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const DeviceArray<int> array(16);
    EXPECT_DEATH({ [[maybe_unused]] volatile int value = *array.data(); }, "");
}

TEST(GpuDoubleMemoryDeathTest, device_memory_cannot_be_written_by_the_host) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const DeviceArray<int> array(16);
    EXPECT_DEATH(*array.data() = 1, "");
}

TEST(GpuDoubleMemoryTest, the_hosts_view_shows_what_was_copied) {
    const DeviceArray<int> array({1, 2, 3});
    const auto* view = static_cast<const int*>(gpu_double_host_address(array.data() + 1));
    EXPECT_EQ(view[0], 2);
    EXPECT_EQ(array.read(), (std::vector<int>{1, 2, 3}));
}

TEST(GpuDoubleMemoryTest, a_copy_past_the_end_is_refused) {
    const DeviceArray<char> array(100);
    std::vector<char> host(200);
    EXPECT_EQ(cudaMemcpy(array.data(), host.data(), 101, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(array.data() + 1, host.data(), 100, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(array.data(), 0, 101), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_CUDA(cudaGetLastError());
}

TEST(GpuDoubleMemoryTest, a_copy_against_its_direction_is_refused) {
    const DeviceArray<char> array(8);
    char host[8] = {};
    EXPECT_EQ(cudaMemcpy(host, array.data(), 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(array.data(), host, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    EXPECT_CUDA(cudaMemcpy(array.data(), host, 8, cudaMemcpyDefault));
    cudaGetLastError();
}

TEST(GpuDoubleMemoryTest, freed_memory_is_refused) {
    void* memory = nullptr;
    char host[8] = {};
    EXPECT_CUDA(cudaMalloc(&memory, 8));
    EXPECT_CUDA(cudaFree(memory));
    EXPECT_EQ(cudaMemcpy(memory, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST(GpuDoubleMemoryTest, pinned_memory_is_ordinary) {
    void* pinned = nullptr;
    EXPECT_CUDA(cudaMallocHost(&pinned, 64));
    std::memset(pinned, 7, 64);
    const DeviceArray<char> array(64);
    EXPECT_CUDA(cudaMemcpy(array.data(), pinned, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(array.read(), std::vector<char>(64, 7));
    EXPECT_CUDA(cudaFreeHost(pinned));
}

TEST(GpuDoubleMemoryTest, attributes_tell_the_kind_of_memory) {
    cudaPointerAttributes attributes{};
    const DeviceArray<char> array(8);
    int local = 0;
    EXPECT_CUDA(cudaPointerGetAttributes(&attributes, array.data() + 3));
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_CUDA(cudaPointerGetAttributes(&attributes, &local));
    EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
    EXPECT_CUDA(cudaHostRegister(&local, sizeof local, 0));
    EXPECT_EQ(cudaHostRegister(&local, sizeof local, 0), cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_CUDA(cudaPointerGetAttributes(&attributes, &local));
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    EXPECT_CUDA(cudaHostUnregister(&local));
    cudaGetLastError();
}

TEST(GpuDoubleMemoryTest, memory_in_use_is_counted_and_limited) {
    std::size_t before = 0, during = 0, total = 0;
    EXPECT_CUDA(cudaMemGetInfo(&before, &total));
    {
        const DeviceArray<char> array(1 << 20);
        EXPECT_CUDA(cudaMemGetInfo(&during, &total));
    }
    EXPECT_EQ(before - during, std::size_t{1} << 20);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, total + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(memory, nullptr);
    cudaGetLastError();
}

TEST(GpuDoubleDeviceTest, eight_distinct_gpus_that_say_what_they_are) {
    EXPECT_STREQ(railgauge_gpu_double, "railgauge GPU double 1");
    int count = 0;
    EXPECT_CUDA(cudaGetDeviceCount(&count));
    ASSERT_EQ(count, 8);
    cudaDeviceProp first{}, last{};
    EXPECT_CUDA(cudaGetDeviceProperties(&first, 0));
    EXPECT_CUDA(cudaGetDeviceProperties(&last, 7));
    EXPECT_STREQ(first.name, "GPU double (B300)");
    EXPECT_EQ(first.major * 10 + first.minor, 103);
    EXPECT_NE(std::memcmp(first.uuid.bytes, last.uuid.bytes, sizeof first.uuid.bytes), 0);
    char id[32] = "";
    EXPECT_CUDA(cudaDeviceGetPCIBusId(id, sizeof id, 7));
    EXPECT_STREQ(id, "0000:17:00.0");
    EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
    EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal");
    cudaGetLastError();
}

}  // namespace
