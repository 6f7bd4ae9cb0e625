// SPDX-License-Identifier: Apache-2.0
// Kernels as nvcc's output launches them, written out by hand.
#include <atomic>
#include <thread>

#include "check.hpp"
#include "cudart/compiler_hooks.hpp"
#include "gpu_double.hpp"

extern "C" {
void gpu_double_twin_test_fill(const dim3* grid, const dim3* block, void** arguments) {
    int* memory = *static_cast<int**>(arguments[0]);
    const int value = *static_cast<int*>(arguments[1]);
    auto* view = static_cast<int*>(gpu_double_host_address(memory));
    for (unsigned i = 0; view != nullptr && i < grid->x * block->x; ++i)
        view[i] = value;
}
extern const unsigned gpu_double_sizes_test_fill[];
const unsigned gpu_double_sizes_test_fill[] = {sizeof(int*), sizeof(int), 0};
}

namespace {

const char fill_stub = 0;
const char lonely_stub = 0;
const char unknown_stub = 0;

void register_kernel(const char* stub, const char* name) {
    __cudaRegisterFunction(nullptr, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
}

class GpuDoubleKernelTest : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        void** binary = __cudaRegisterFatBinary(nullptr);
        register_kernel(&fill_stub, "test_fill");
        register_kernel(&lonely_stub, "test_lonely");
        __cudaRegisterFatBinaryEnd(binary);
    }
    void TearDown() override { cudaGetLastError(); }
};

TEST_F(GpuDoubleKernelTest, the_twin_runs_in_the_stream_with_the_arguments_of_the_launch) {
    const Stream stream;
    const DeviceArray<int> array(6);
    int* memory = array.data();
    int value = 42;
    void* arguments[] = {&memory, &value};
    std::atomic<bool> open{false};
    EXPECT_CUDA(cudaLaunchHostFunc(
        stream,
        [](void* flag) {
            while (!*static_cast<std::atomic<bool>*>(flag))
                std::this_thread::yield();
        },
        &open));
    EXPECT_CUDA(cudaLaunchKernel(&fill_stub, dim3(2), dim3(3), arguments, 0, stream));
    value = 0;
    open = true;
    stream.synchronize();
    EXPECT_EQ(array.read(), std::vector<int>(6, 42));
}

TEST_F(GpuDoubleKernelTest, a_launch_as_the_compiler_writes_it_works) {
    const DeviceArray<int> array(4);
    int* memory = array.data();
    int value = 7;
    void* arguments[] = {&memory, &value};
    ASSERT_EQ(__cudaPushCallConfiguration(dim3(1), dim3(4), 0, nullptr), 0u);
    dim3 grid, block;
    std::size_t shared_bytes = 1;
    cudaStream_t stream = nullptr;
    cudaKernel_t kernel = nullptr;
    EXPECT_CUDA(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream));
    EXPECT_CUDA(__cudaGetKernel(&kernel, &fill_stub));
    EXPECT_CUDA(__cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
    EXPECT_EQ(array.read(), std::vector<int>(4, 7));
}

TEST_F(GpuDoubleKernelTest, a_kernel_without_a_twin_fails_by_name) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaLaunchKernel(&lonely_stub, dim3(1), dim3(1), nullptr, 0, nullptr),
              cudaErrorNotSupported);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("test_lonely"), std::string::npos);
    EXPECT_EQ(cudaLaunchKernel(&unknown_stub, dim3(1), dim3(1), nullptr, 0, nullptr),
              cudaErrorInvalidDeviceFunction);
}

TEST_F(GpuDoubleKernelTest, an_impossible_launch_is_refused) {
    EXPECT_EQ(cudaLaunchKernel(&fill_stub, dim3(1), dim3(2048), nullptr, 0, nullptr),
              cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaLaunchKernel(&fill_stub, dim3(0), dim3(1), nullptr, 0, nullptr),
              cudaErrorInvalidConfiguration);
}

TEST_F(GpuDoubleKernelTest, a_captured_kernel_keeps_its_arguments) {
    const Stream stream;
    const DeviceArray<int> array(std::vector<int>{0});
    int* memory = array.data();
    int value = 5;
    void* arguments[] = {&memory, &value};
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_CUDA(cudaLaunchKernel(&fill_stub, dim3(1), dim3(1), arguments, 0, stream));
    EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
    value = 0;
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_CUDA(cudaGraphLaunch(executable, stream));
    stream.synchronize();
    EXPECT_EQ(array.read(), std::vector<int>{5});
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(GpuDoubleKernelTest, a_kernel_given_host_memory_makes_later_calls_fail) {
    int local = 0;
    int* memory = &local;
    int value = 1;
    void* arguments[] = {&memory, &value};
    testing::internal::CaptureStderr();
    EXPECT_CUDA(cudaLaunchKernel(&fill_stub, dim3(1), dim3(1), arguments, 0, nullptr));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("no allocation"), std::string::npos);
    EXPECT_CUDA(cudaDeviceReset());
    EXPECT_CUDA(cudaGetLastError());
    EXPECT_EQ(local, 0);
}

}  // namespace
