// SPDX-License-Identifier: Apache-2.0
#include "activation.hpp"

#include <algorithm>

#include "nccl_profiler_v5.hpp"

namespace railgauge::nccl_profiler {
namespace {

constexpr int active_mask = static_cast<int>(event_collective | event_point_to_point);

/// NCCL reads its mask without a lock, while operations of other threads are under way.
void store(int* mask, int value) {
    std::atomic_ref<int>(*mask).store(value, std::memory_order_relaxed);
}

}  // namespace

void Activation::write(int* mask) const noexcept {
    store(mask, active() ? active_mask : 0);
}

Activation::MaskUse* Activation::enter(int* mask) noexcept {
    if (mask == nullptr) return nullptr;
    const std::scoped_lock lock(mutex_);
    const auto find = [this](const int* wanted) {
        return std::find_if(masks_.begin(), masks_.end(),
                            [wanted](const MaskUse& use) { return use.mask == wanted; });
    };
    auto use = find(mask);
    if (use == masks_.end()) use = find(nullptr);
    if (use == masks_.end()) {
        store(mask, 0);
        return nullptr;
    }
    use->mask = mask;
    ++use->communicators;
    write(mask);
    return &*use;
}

void Activation::leave(MaskUse* use) noexcept {
    if (use == nullptr) return;
    const std::scoped_lock lock(mutex_);
    if (use->communicators == 0 || --use->communicators > 0) return;
    store(use->mask, 0);
    use->mask = nullptr;
}

void Activation::set(bool active) noexcept {
    const std::scoped_lock lock(mutex_);
    active_.store(active, std::memory_order_relaxed);
    for (const MaskUse& use : masks_) {
        if (use.mask != nullptr) write(use.mask);
    }
}

}  // namespace railgauge::nccl_profiler
