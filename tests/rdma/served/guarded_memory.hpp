// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "memory/memory_space.hpp"

namespace railgauge {

/// Host memory with bytes before and after its last buffer that nobody may change. They outlive it.
class GuardedMemory : public MemorySpace {
  public:
    ~GuardedMemory() override { std::free(block_); }

    std::string_view name() const override { return "host"; }
    std::uint64_t available_bytes(int /*ranks*/) const override { return most_bytes; }

    Buffer allocate(std::size_t size) override {
        std::free(block_);
        size_ = size;
        block_ = static_cast<unsigned char*>(std::aligned_alloc(guard_bytes, block_bytes()));
        if (block_ == nullptr) throw std::bad_alloc();
        std::memset(block_, guard, block_bytes());
        std::memset(block_ + guard_bytes, 0, size);
        return {block_ + guard_bytes, size, [](void*) {}};
    }

    bool is_whole() const {
        const auto is_guard = [](unsigned char byte) { return byte == guard; };
        return std::all_of(block_, block_ + guard_bytes, is_guard) &&
               std::all_of(block_ + guard_bytes + size_, block_ + block_bytes(), is_guard);
    }

    /// A byte of the buffer, which must still be there.
    unsigned char at(std::size_t offset) const { return block_[guard_bytes + offset]; }

  private:
    static constexpr std::uint64_t most_bytes = 1 << 24;
    static constexpr std::size_t guard_bytes = 4096;
    static constexpr unsigned char guard = 0xa5;

    std::size_t block_bytes() const {
        return (size_ + guard_bytes - 1) / guard_bytes * guard_bytes + 2 * guard_bytes;
    }

    unsigned char* block_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace railgauge
