// SPDX-License-Identifier: Apache-2.0
#include "played_nccl.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

namespace railgauge::nccl_profiler {
namespace {

constexpr std::uint64_t event_group = 1;
constexpr std::uint64_t event_collective_call = 1 << 9;

}  // namespace

PlayedNccl::PlayedNccl() {
    const char* const name = std::getenv("NCCL_PROFILER_PLUGIN");
    if (name == nullptr) return;
    library_.reset(::dlopen(name, RTLD_NOW | RTLD_LOCAL));
    if (!library_) throw std::runtime_error(::dlerror());
    profiler_ = static_cast<Profiler*>(::dlsym(library_.get(), "ncclProfiler_v5"));
    if (profiler_ == nullptr) throw std::runtime_error(::dlerror());
}

int PlayedNccl::mask() const {
    return std::atomic_ref<int>(const_cast<int&>(mask_)).load(std::memory_order_relaxed);
}

PlayedCommunicator::PlayedCommunicator(PlayedNccl& nccl) : nccl_(nccl) {
    nccl_.profiler().init(&context_, 0x1234, nccl_.mask_address(), nullptr, 1, 2, 0, nullptr);
}

PlayedCommunicator::~PlayedCommunicator() {
    if (context_ != nullptr) nccl_.profiler().finalize(context_);
}

void PlayedCommunicator::report(EventDescription& description) {
    void* event = nullptr;
    nccl_.profiler().start_event(context_, &event, &description);
    if (event == nullptr) return;
    nccl_.profiler().record_event_state(event, 22, nullptr);
    nccl_.profiler().stop_event(event);
}

void PlayedCommunicator::launch(const Collective& collective) {
    if ((nccl_.mask() & static_cast<int>(event_collective)) == 0) return;
    for (const std::uint64_t around : {event_collective_call, event_group}) {
        EventDescription description{};
        description.type = around;
        report(description);
    }
    EventDescription description{};
    description.type = event_collective;
    description.collective.operation = collective.operation;
    description.collective.algorithm = collective.algorithm;
    description.collective.protocol = collective.protocol;
    description.collective.channels = collective.channels;
    description.collective.elements = collective.elements;
    description.collective.datatype = collective.datatype;
    report(description);
}

void PlayedCommunicator::launch_send(std::uint8_t channels) {
    if ((nccl_.mask() & static_cast<int>(event_point_to_point)) == 0) return;
    EventDescription description{};
    description.type = event_point_to_point;
    description.point_to_point = {"Send", nullptr, "ncclInt8", 4096, 1, channels, nullptr};
    report(description);
}

}  // namespace railgauge::nccl_profiler
