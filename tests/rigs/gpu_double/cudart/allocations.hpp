// SPDX-License-Identifier: Apache-2.0
// All memory the double knows. Device memory is one file mapped twice: at the address handed out
// nobody may read or write, the double itself uses the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace gpu_double {

enum class MemoryKind { device, pinned, registered };

struct Allocation {
    MemoryKind kind;
    int device;
    char* host_base;
    std::size_t bytes;
    std::shared_ptr<void> owner;
};

struct Place {
    MemoryKind kind;
    int device;
    char* host_address;
    std::size_t bytes_left;
};

constexpr std::size_t device_memory_bytes = std::size_t{8} << 30;

class Allocations {
  public:
    // nullptr when the device or this machine has no memory left.
    void* allocate_device(int device, std::size_t bytes);
    void* allocate_pinned(int device, std::size_t bytes);
    // False when part of the range is known already.
    bool register_host(int device, void* pointer, std::size_t bytes);
    // False unless `pointer` is the start of an allocation of that kind.
    bool release(void* pointer, MemoryKind kind);
    void release_device(int device);

    std::optional<Place> find(const void* pointer) const;
    char* find(const void* pointer, std::size_t bytes) const;

    bool take(int device, std::size_t bytes);
    void give(int device, std::size_t bytes);
    std::size_t free_bytes(int device) const;

  private:
    void add(void* pointer, Allocation allocation);
    bool overlaps(std::uintptr_t start, std::size_t bytes) const;

    mutable std::mutex mutex_;
    std::map<std::uintptr_t, Allocation> by_address_;
    std::map<int, std::size_t> used_bytes_;
};

// Lives as long as the process: streams may still run while statics are destroyed.
Allocations& allocations();

}  // namespace gpu_double
