// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"

namespace railgauge {

/// Memory of a MemorySpace; freed with its last owner. Not addressable by the host unless the space
/// says so.
class Buffer {
  public:
    using Release = std::function<void(void*)>;

    Buffer() = default;
    Buffer(void* data, std::size_t size, Release release)
        : data_(data, std::move(release)), size_(size) {}

    void* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }

    /// Gives up the memory without freeing it.
    void* release() noexcept { return data_.release(); }

  private:
    std::unique_ptr<void, Release> data_{nullptr, [](void*) {}};
    std::size_t size_ = 0;
};

/// A part of a device's memory as the kernel hands it to another device's driver.
struct DmaBuf {
    FileDescriptor file;
    std::uint64_t offset = 0;  ///< bytes, of the part within what `file` stands for
};

/// Where a benchmark's buffers live.
class MemorySpace {
  public:
    virtual ~MemorySpace() = default;
    virtual std::string_view name() const = 0;

    /// Memory whose pages are present, aligned to 256 B at least. A size of 0 gives a valid
    /// pointer.
    /// @throws Error when it cannot be had
    virtual Buffer allocate(std::size_t size) = 0;

    /// Bytes that each of the `ranks` ranks of this node can still allocate at the same time.
    virtual std::uint64_t available_bytes(int ranks) const = 0;

    /// Whether the host can read and write its buffers by their addresses.
    virtual bool is_host_addressable() const { return true; }

    /// Copies between the host and a buffer of this space; for check rounds, not for timed loops.
    virtual void write(void* to, std::span<const std::byte> data);
    virtual void read(const void* from, std::span<std::byte> data) const;

    /// `size` bytes of a buffer of this space for a network card's driver; none where memory is
    /// the host's, or its driver cannot.
    virtual std::optional<DmaBuf> export_dma_buf(const void* data, std::size_t size) const;
};

/// The memory that each rank may use for its buffers, the same number on all ranks.
struct MemoryShare {
    std::uint64_t bytes;
    int ranks_per_node;  ///< of the node that has least for each
};

/// @throws Error(usage) when the buffers of one rank exceed its share
void require_share(std::uint64_t needed_bytes, const MemoryShare& share, const MemorySpace& memory);

std::unique_ptr<MemorySpace> make_host_memory();

/// Memory of the host in huge pages that an administrator has set aside: a network card's table of
/// addresses is short. Buffers are whole huge pages.
std::unique_ptr<MemorySpace> make_huge_memory();

/// Pageable memory of the host, the same in huge pages, pinned memory of the host, memory of the
/// rank's GPU.
std::vector<std::string> memory_names();

/// Whether buffers of memory `name` need a GPU. @throws Error(usage) for an unknown name
bool needs_gpu(std::string_view name);

/// One of memory_names(). @throws Error(usage) for an unknown name or one this build lacks
std::unique_ptr<MemorySpace> make_memory_space(std::string_view name);

}  // namespace railgauge
