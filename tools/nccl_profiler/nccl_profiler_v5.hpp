// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The parts of NCCL's profiler interface, version 5 (NCCL 2.28), that this plugin reads. NCCL has
/// no installed header for it; the offsets below are part of its binary interface.
namespace railgauge::nccl_profiler {

/// ncclResult_t.
enum class Result : int { success = 0 };

/// Bits of the activation mask, and the values of EventDescription::type.
inline constexpr std::uint64_t event_collective = std::uint64_t{1} << 1;
inline constexpr std::uint64_t event_point_to_point = std::uint64_t{1} << 2;

struct CollectiveEvent {
    std::uint64_t sequence;
    const char* operation;
    const void* send_buffer;
    void* receive_buffer;
    std::size_t elements;
    int root;
    const char* datatype;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
    void* parent_group;
};

struct PointToPointEvent {
    const char* operation;
    void* buffer;
    const char* datatype;
    std::size_t elements;
    int peer;
    std::uint8_t channels;
    void* parent_group;
};

struct EventDescription {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        CollectiveEvent collective;
        PointToPointEvent point_to_point;
    };
};

using Logger = void (*)(int level, unsigned long flags, const char* file, int line,
                        const char* format, ...);

/// The object that NCCL looks up under the name `ncclProfiler_v5`.
struct Profiler {
    const char* name;
    Result (*init)(void** context, std::uint64_t communicator, int* activation_mask,
                   const char* communicator_name, int nodes, int ranks, int rank, Logger logger);
    Result (*start_event)(void* context, void** event, EventDescription* description);
    Result (*stop_event)(void* event);
    Result (*record_event_state)(void* event, int state, void* arguments);
    Result (*finalize)(void* context);
};

static_assert(sizeof(void*) == 8, "NCCL exists for 64-bit machines only");
static_assert(offsetof(EventDescription, collective) == 24);
static_assert(offsetof(CollectiveEvent, operation) == 8);
static_assert(offsetof(CollectiveEvent, elements) == 32);
static_assert(offsetof(CollectiveEvent, datatype) == 48);
static_assert(offsetof(CollectiveEvent, channels) == 56);
static_assert(offsetof(CollectiveEvent, algorithm) == 64);
static_assert(offsetof(CollectiveEvent, protocol) == 72);
static_assert(offsetof(PointToPointEvent, datatype) == 16);
static_assert(offsetof(PointToPointEvent, elements) == 24);
static_assert(offsetof(PointToPointEvent, channels) == 36);
static_assert(offsetof(Profiler, finalize) == 40);
static_assert(sizeof(EventDescription) == 112);

}  // namespace railgauge::nccl_profiler
