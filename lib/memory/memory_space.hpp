// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace railgauge {

/// Memory of a MemorySpace; freed with its last owner. Not addressable by the host unless the space says so.
class Buffer {
 public:
  using Release = std::function<void(void*)>;

  Buffer() = default;
  Buffer(void* data, std::size_t size, Release release)
      : data_(data, std::move(release)), size_(size) {}

  void* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<void, Release> data_{nullptr, [](void*) {}};
  std::size_t size_ = 0;
};

/// Where a benchmark's buffers live.
class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  virtual std::string_view name() const = 0;

  /// Page-aligned memory whose pages are present. A size of 0 gives a valid pointer.
  /// @throws Error when it cannot be had
  virtual Buffer allocate(std::size_t size) = 0;

  virtual void copy_from_host(void* destination, std::span<const std::byte> source) = 0;
  virtual void copy_to_host(std::span<std::byte> destination, const void* source) = 0;
};

std::unique_ptr<MemorySpace> make_host_memory();

/// "host", ... @throws Error(usage) for an unknown name or one this build lacks
std::unique_ptr<MemorySpace> make_memory_space(std::string_view name);

/// Bytes the kernel could still hand out on this node (MemAvailable).
std::uint64_t available_memory_bytes();

}  // namespace railgauge
