// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "check.hpp"

namespace {

// Holds a stream until the test lets it go.
struct Gate {
    std::atomic<bool> open{false};
    static void wait(void* gate) {
        while (!static_cast<Gate*>(gate)->open)
            std::this_thread::yield();
    }
};

struct Event {
    cudaEvent_t event = nullptr;
    Event() { EXPECT_CUDA(cudaEventCreate(&event)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { cudaEventDestroy(event); }
    operator cudaEvent_t() const { return event; }
};

TEST(GpuDoubleStreamTest, work_is_asynchronous_and_in_order) {
    const Stream stream;
    const DeviceArray<char> array(4);
    Gate gate;
    EXPECT_CUDA(cudaLaunchHostFunc(stream, &Gate::wait, &gate));
    EXPECT_CUDA(cudaMemsetAsync(array.data(), 1, 4, stream));
    EXPECT_CUDA(cudaMemsetAsync(array.data(), 2, 2, stream));
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    gate.open = true;
    stream.synchronize();
    EXPECT_CUDA(cudaStreamQuery(stream));
    EXPECT_EQ(array.read(), (std::vector<char>{2, 2, 1, 1}));
}

TEST(GpuDoubleStreamTest, not_ready_is_remembered_as_the_last_error) {
    const Stream stream;
    Gate gate;
    cudaGetLastError();
    EXPECT_CUDA(cudaLaunchHostFunc(stream, &Gate::wait, &gate));
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
    EXPECT_CUDA(cudaGetLastError());
    gate.open = true;
    stream.synchronize();
}

TEST(GpuDoubleStreamTest, streams_do_not_wait_for_each_other_unless_told) {
    const Stream held, free;
    const Event event;
    Gate gate;
    std::atomic<bool> passed{false};
    EXPECT_CUDA(cudaLaunchHostFunc(held, &Gate::wait, &gate));
    EXPECT_CUDA(cudaEventRecord(event, held));
    free.synchronize();
    EXPECT_CUDA(cudaStreamWaitEvent(free, event, 0));
    EXPECT_CUDA(cudaLaunchHostFunc(
        free, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &passed));
    EXPECT_EQ(cudaStreamQuery(free), cudaErrorNotReady);
    EXPECT_FALSE(passed);
    gate.open = true;
    free.synchronize();
    EXPECT_TRUE(passed);
}

TEST(GpuDoubleStreamTest, the_default_stream_waits_for_blocking_streams) {
    cudaStream_t blocking = nullptr;
    EXPECT_CUDA(cudaStreamCreate(&blocking));
    Gate gate;
    EXPECT_CUDA(cudaLaunchHostFunc(blocking, &Gate::wait, &gate));
    const DeviceArray<char> array(1);
    EXPECT_CUDA(cudaMemset(array.data(), 1, 1));
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    gate.open = true;
    EXPECT_CUDA(cudaStreamSynchronize(nullptr));
    EXPECT_CUDA(cudaStreamDestroy(blocking));
    EXPECT_EQ(cudaStreamSynchronize(blocking), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

TEST(GpuDoubleStreamTest, destroying_a_stream_does_not_wait) {
    cudaStream_t stream = nullptr;
    EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    static Gate gate;
    EXPECT_CUDA(cudaLaunchHostFunc(stream, &Gate::wait, &gate));
    EXPECT_CUDA(cudaStreamDestroy(stream));
    gate.open = true;
}

TEST(GpuDoubleEventTest, the_time_between_events_is_the_streams) {
    const Stream stream;
    const Event start, end;
    Gate gate;
    EXPECT_CUDA(cudaEventRecord(start, stream));
    EXPECT_CUDA(cudaLaunchHostFunc(stream, &Gate::wait, &gate));
    EXPECT_CUDA(cudaEventRecord(end, stream));
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    gate.open = true;
    EXPECT_CUDA(cudaEventSynchronize(end));
    EXPECT_CUDA(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT_GT(milliseconds, 0.0f);
}

TEST(GpuDoubleEventTest, an_event_without_a_time_has_none) {
    const Event recorded, never;
    float milliseconds = 0;
    EXPECT_CUDA(cudaEventQuery(never));
    EXPECT_CUDA(cudaEventRecord(recorded, nullptr));
    EXPECT_CUDA(cudaEventSynchronize(recorded));
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, recorded, never), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

TEST(GpuDoubleGraphTest, a_captured_graph_runs_only_when_launched) {
    const Stream stream;
    const Event event;
    const DeviceArray<char> from(std::vector<char>{5, 6}), to(std::vector<char>{0, 0});
    EXPECT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaStreamCaptureStatus status{};
    EXPECT_CUDA(cudaStreamIsCapturing(stream, &status));
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_CUDA(cudaMemcpyAsync(to.data(), from.data(), 2, cudaMemcpyDeviceToDevice, stream));
    EXPECT_CUDA(cudaMemsetAsync(to.data(), 9, 1, stream));
    EXPECT_CUDA(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    EXPECT_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 3u);
    EXPECT_EQ(to.read(), (std::vector<char>{0, 0}));

    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_CUDA(cudaGraphDestroy(graph));
    for (int launch = 0; launch < 2; ++launch) {
        EXPECT_CUDA(cudaMemset(to.data(), 0, 2));
        EXPECT_CUDA(cudaStreamSynchronize(nullptr));
        EXPECT_CUDA(cudaGraphLaunch(executable, stream));
        EXPECT_CUDA(cudaEventSynchronize(event));
        EXPECT_EQ(to.read(), (std::vector<char>{9, 6}));
    }
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    cudaGetLastError();
}

TEST(GpuDoubleGraphTest, a_stream_that_waits_for_a_captured_event_joins_the_capture) {
    const Stream origin, joined;
    const Event fork, join;
    const DeviceArray<char> array(std::vector<char>{0});
    EXPECT_CUDA(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    EXPECT_CUDA(cudaEventRecord(fork, origin));
    EXPECT_CUDA(cudaStreamWaitEvent(joined, fork, 0));
    EXPECT_CUDA(cudaMemsetAsync(array.data(), 3, 1, joined));
    EXPECT_CUDA(cudaEventRecord(join, joined));
    EXPECT_CUDA(cudaStreamWaitEvent(origin, join, 0));
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(joined, &graph), cudaErrorStreamCaptureUnmatched);
    EXPECT_CUDA(cudaStreamEndCapture(origin, &graph));
    joined.synchronize();
    EXPECT_EQ(array.read(), (std::vector<char>{0}));
    cudaGraphExec_t executable = nullptr;
    EXPECT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_CUDA(cudaGraphLaunch(executable, origin));
    origin.synchronize();
    EXPECT_EQ(array.read(), (std::vector<char>{3}));
    EXPECT_CUDA(cudaGraphExecDestroy(executable));
    EXPECT_CUDA(cudaGraphDestroy(graph));
    cudaGetLastError();
}

}  // namespace
