// SPDX-License-Identifier: Apache-2.0
#include "streams.hpp"

#include <map>
#include <mutex>

#include "devices.hpp"
#include "gpu_double.hpp"
#include "handles.hpp"

namespace gpu_double {
namespace {

using Kind = CUstream_st::Kind;
using StreamPointer = std::shared_ptr<CUstream_st>;

Handles<CUstream_st>& streams() {
    static auto* const all = new Handles<CUstream_st>;
    return *all;
}

struct LegacyStreams {
    std::mutex mutex;
    std::map<int, StreamPointer> by_device;
};

LegacyStreams& legacy_streams() {
    static auto* const all = new LegacyStreams;
    return *all;
}

StreamPointer existing_legacy_stream(int device) {
    auto& legacy = legacy_streams();
    const std::scoped_lock lock(legacy.mutex);
    const auto found = legacy.by_device.find(device);
    return found == legacy.by_device.end() ? nullptr : found->second;
}

StreamPointer legacy_stream(int device) {
    auto& legacy = legacy_streams();
    const std::scoped_lock lock(legacy.mutex);
    auto& stream = legacy.by_device[device];
    if (!stream) {
        stream = CUstream_st::start(device, Kind::legacy, 0);
        streams().add(stream);
    }
    return stream;
}

StreamPointer stream_of_this_thread(int device) {
    thread_local std::map<int, StreamPointer> by_device;
    auto& stream = by_device[device];
    if (!stream) stream = find_stream(add_stream(device, Kind::blocking, 0));
    return stream;
}

void wait_before(CUstream_st& stream, const StreamPointer& other) {
    if (other->is_idle()) return;
    const auto ticket = other->last_ticket();
    auto wait = [other, ticket] { other->wait_for(ticket); };
    stream.submit(std::make_shared<FunctionOperation<decltype(wait)>>(wait));
}

void wait_for_blocking_streams(CUstream_st& legacy) {
    for (const auto& other : streams().all())
        if (other->device() == legacy.device() && other->kind() == Kind::blocking)
            wait_before(legacy, other);
}

void add_implicit_waits(CUstream_st& stream) {
    if (stream.is_capturing() || stream.kind() == Kind::independent) return;
    if (stream.kind() == Kind::legacy) return wait_for_blocking_streams(stream);
    if (const auto legacy = existing_legacy_stream(stream.device())) wait_before(stream, legacy);
}

}  // namespace

StreamPointer find_stream(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return legacy_stream(current_device());
    if (handle == cudaStreamPerThread) return stream_of_this_thread(current_device());
    return streams().find(handle);
}

cudaStream_t add_stream(int device, Kind kind, int priority) {
    return streams().add(CUstream_st::start(device, kind, priority));
}

StreamPointer remove_stream(cudaStream_t handle) {
    return streams().remove(handle);
}

void synchronize_device(int device) {
    for (const auto& stream : streams().all())
        if (stream->device() == device) stream->synchronize();
}

void synchronize_all_devices() {
    for (const auto& stream : streams().all())
        stream->synchronize();
}

void enqueue(CUstream_st& stream, OperationPointer operation) {
    add_implicit_waits(stream);
    stream.submit(std::move(operation));
}

}  // namespace gpu_double
