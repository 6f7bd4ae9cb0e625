// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "gpu_double.hpp"

namespace gpu_double {
namespace {

constexpr std::size_t page_bytes = 4096;

struct TwoViews {
    void* device = MAP_FAILED;
    void* host = MAP_FAILED;
    std::size_t bytes = 0;

    explicit TwoViews(std::size_t size) : bytes(size) {
        const int file = memfd_create("railgauge-gpu-double", MFD_CLOEXEC);
        if (file < 0) return;
        if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
            device = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
            host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        close(file);
    }
    TwoViews(const TwoViews&) = delete;
    TwoViews& operator=(const TwoViews&) = delete;
    ~TwoViews() {
        if (device != MAP_FAILED) munmap(device, bytes);
        if (host != MAP_FAILED) munmap(host, bytes);
    }
    bool complete() const { return device != MAP_FAILED && host != MAP_FAILED; }
};

}  // namespace

void* Allocations::allocate_device(int device, std::size_t bytes) {
    if (!take(device, bytes)) return nullptr;
    auto views = std::make_shared<TwoViews>(bytes);
    if (!views->complete()) {
        give(device, bytes);
        return nullptr;
    }
    void* pointer = views->device;
    auto* host = static_cast<char*>(views->host);
    add(pointer, {MemoryKind::device, device, host, bytes, std::move(views)});
    return pointer;
}

void* Allocations::allocate_pinned(int device, std::size_t bytes) {
    const std::size_t whole_pages = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* pointer = std::aligned_alloc(page_bytes, whole_pages);
    if (pointer == nullptr) return nullptr;
    add(pointer, {MemoryKind::pinned, device, static_cast<char*>(pointer), bytes,
                  std::shared_ptr<void>(pointer, &std::free)});
    return pointer;
}

bool Allocations::register_host(int device, void* pointer, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto start = reinterpret_cast<std::uintptr_t>(pointer);
    if (overlaps(start, bytes)) return false;
    by_address_[start] = {MemoryKind::registered, device, static_cast<char*>(pointer), bytes,
                          nullptr};
    return true;
}

bool Allocations::overlaps(std::uintptr_t start, std::size_t bytes) const {
    const auto after = by_address_.lower_bound(start + bytes);
    if (after == by_address_.begin()) return false;
    const auto& [address, allocation] = *std::prev(after);
    return address + allocation.bytes > start;
}

void Allocations::add(void* pointer, Allocation allocation) {
    const std::scoped_lock lock(mutex_);
    by_address_[reinterpret_cast<std::uintptr_t>(pointer)] = std::move(allocation);
}

bool Allocations::release(void* pointer, MemoryKind kind) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_address_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == by_address_.end() || found->second.kind != kind) return false;
    if (kind == MemoryKind::device) used_bytes_[found->second.device] -= found->second.bytes;
    by_address_.erase(found);
    return true;
}

void Allocations::release_device(int device) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(by_address_, [device](const auto& entry) {
        return entry.second.kind == MemoryKind::device && entry.second.device == device;
    });
    used_bytes_[device] = 0;
}

std::optional<Place> Allocations::find(const void* pointer) const {
    const std::scoped_lock lock(mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto after = by_address_.upper_bound(address);
    if (after == by_address_.begin()) return std::nullopt;
    const auto& [start, allocation] = *std::prev(after);
    const std::size_t offset = address - start;
    if (offset >= allocation.bytes) return std::nullopt;
    return Place{allocation.kind, allocation.device, allocation.host_base + offset,
                 allocation.bytes - offset};
}

char* Allocations::find(const void* pointer, std::size_t bytes) const {
    const auto place = find(pointer);
    return place && place->bytes_left >= bytes ? place->host_address : nullptr;
}

bool Allocations::take(int device, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::size_t& used = used_bytes_[device];
    if (bytes > device_memory_bytes - used) return false;
    used += bytes;
    return true;
}

void Allocations::give(int device, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    std::size_t& used = used_bytes_[device];
    used -= std::min(used, bytes);
}

std::size_t Allocations::free_bytes(int device) const {
    const std::scoped_lock lock(mutex_);
    const auto found = used_bytes_.find(device);
    return device_memory_bytes - (found == used_bytes_.end() ? 0 : found->second);
}

Allocations& allocations() {
    static auto* const all = new Allocations;
    return *all;
}

}  // namespace gpu_double
