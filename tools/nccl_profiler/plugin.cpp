// SPDX-License-Identifier: Apache-2.0
// The plugin NCCL loads: notes how each operation is run while the program asks for it. Callbacks
// come from any of NCCL's threads; they allocate nothing and write to no stream.
#include "activation.hpp"
#include "nccl/profiler_exchange.hpp"
#include "nccl_profiler_v5.hpp"
#include "use_table.hpp"

#define RAILGAUGE_EXPORT extern "C" __attribute__((visibility("default")))

namespace railgauge::nccl_profiler {
namespace {

constinit Activation activation;
constinit UseTable uses;

// NOLINTNEXTLINE(readability-function-size): as NCCL calls it.
Result init(void** context, std::uint64_t, int* mask, const char*, int, int, int, Logger) {
    void* const entered = activation.enter(mask);
    if (context != nullptr) *context = entered;
    return Result::success;
}

Sighting sighting(const CollectiveEvent& event) {
    return {.operation = event.operation,
            .algorithm = event.algorithm,
            .protocol = event.protocol,
            .datatype = event.datatype,
            .elements = event.elements,
            .channels = event.channels};
}

/// NCCL chooses no algorithm and names no protocol for these.
Sighting sighting(const PointToPointEvent& event) {
    return {.operation = event.operation,
            .datatype = event.datatype,
            .elements = event.elements,
            .channels = event.channels};
}

/// No event gets a handle, so NCCL reports neither its stop nor its states. Replayed graphs that
/// were captured while active report for ever: those are not counted.
Result start_event(void*, void** event, EventDescription* description) {
    if (event != nullptr) *event = nullptr;
    if (description == nullptr || !activation.active()) return Result::success;
    if (description->type == event_collective) uses.note(sighting(description->collective));
    if (description->type == event_point_to_point) uses.note(sighting(description->point_to_point));
    return Result::success;
}

Result stop_event(void*) {
    return Result::success;
}

Result record_event_state(void*, int, void*) {
    return Result::success;
}

Result finalize(void* context) {
    activation.leave(static_cast<Activation::MaskUse*>(context));
    return Result::success;
}

}  // namespace
}  // namespace railgauge::nccl_profiler

// NOLINTBEGIN(readability-identifier-naming): the name NCCL looks for.
RAILGAUGE_EXPORT railgauge::nccl_profiler::Profiler ncclProfiler_v5;
railgauge::nccl_profiler::Profiler ncclProfiler_v5 = {
    .name = "railgauge",
    .init = &railgauge::nccl_profiler::init,
    .start_event = &railgauge::nccl_profiler::start_event,
    .stop_event = &railgauge::nccl_profiler::stop_event,
    .record_event_state = &railgauge::nccl_profiler::record_event_state,
    .finalize = &railgauge::nccl_profiler::finalize,
};
// NOLINTEND(readability-identifier-naming)

RAILGAUGE_EXPORT int railgauge_profiler_version() {
    return railgauge::profiler_exchange_version;
}

RAILGAUGE_EXPORT void railgauge_profiler_set_active(int active) {
    railgauge::nccl_profiler::activation.set(active != 0);
}

RAILGAUGE_EXPORT void railgauge_profiler_reset() {
    railgauge::nccl_profiler::uses.reset();
}

RAILGAUGE_EXPORT int railgauge_profiler_read(railgauge::ProfilerUse* out, int most) {
    return railgauge::nccl_profiler::uses.read(out, most);
}
