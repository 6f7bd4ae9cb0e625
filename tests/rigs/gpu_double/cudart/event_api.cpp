// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "errors.hpp"
#include "event.hpp"
#include "gpu_double.hpp"
#include "handles.hpp"
#include "streams.hpp"

using namespace gpu_double;

namespace {

using EventPointer = std::shared_ptr<CUevent_st>;

Handles<CUevent_st>& events() {
    static auto* const all = new Handles<CUevent_st>;
    return *all;
}

class EventRecord : public Operation {
  public:
    explicit EventRecord(EventPointer event) : event_(std::move(event)) {}
    void submitted() override { event_->entered(); }
    void run() override { event_->passed(); }

  private:
    EventPointer event_;
};

bool has_time(const EventPointer& event) {
    return event && event->timing() == CUevent_st::Timing::enabled && event->records() > 0;
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    const auto timing = (flags & cudaEventDisableTiming) != 0 ? CUevent_st::Timing::disabled
                                                              : CUevent_st::Timing::enabled;
    *event = events().add(std::make_shared<CUevent_st>(timing));
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return report(events().remove(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
    const auto event = events().find(handle);
    const auto stream = find_stream(stream_handle);
    if (!event || !stream) return report(cudaErrorInvalidResourceHandle);
    if (stream->is_capturing()) event->captured_by(stream->capture());
    OperationPointer record = std::make_shared<EventRecord>(event);
    enqueue(*stream, std::move(record));
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    const auto event = events().find(handle);
    if (!event) return report(cudaErrorInvalidResourceHandle);
    return report(event->is_ready() ? asynchronous_error() : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    const auto event = events().find(handle);
    if (!event) return report(cudaErrorInvalidResourceHandle);
    event->wait_for(event->records());
    return report(asynchronous_error());
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const auto first = events().find(start);
    const auto second = events().find(end);
    if (!has_time(first) || !has_time(second)) return report(cudaErrorInvalidResourceHandle);
    if (!first->is_ready() || !second->is_ready()) return report(cudaErrorNotReady);
    const std::chrono::duration<double, std::milli> elapsed = second->time() - first->time();
    *milliseconds = static_cast<float>(elapsed.count());
    return cudaSuccess;
}

// A stream that waits for an event of an open capture takes part in it; the capture keeps one order
// anyway.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned) {
    const auto event = events().find(handle);
    const auto stream = find_stream(stream_handle);
    if (!event || !stream) return report(cudaErrorInvalidResourceHandle);
    if (const auto capture = event->capture(); capture && capture->open) {
        stream->join(capture);
        return cudaSuccess;
    }
    enqueue(*stream, [event, record = event->records()] { event->wait_for(record); });
    return cudaSuccess;
}
}
