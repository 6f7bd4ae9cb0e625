// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "memory/available.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {
namespace {

[[noreturn]] void refuse(std::size_t size, const std::string& why) {
    throw Error(ExitCode::library,
                fmt::format("{} of host memory cannot be had", format_bytes(size)), why,
                "use smaller sizes or fewer ranks per node");
}

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// What a buffer is aligned to: large ones so that the kernel can give it huge pages, which a
/// network card has fewer translations for.
std::size_t alignment_of(std::size_t size) {
    return size < huge_page ? static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : huge_page;
}

class HostMemory : public MemorySpace {
  public:
    std::string_view name() const override { return "host"; }

    Buffer allocate(std::size_t size) override {
        // An overcommitting kernel hands out what it does not have and kills a process at the first
        // touch, so it is asked beforehand.
        const std::uint64_t available = available_memory_bytes();
        if (size > available) {
            refuse(size, fmt::format("this node has {} left", format_bytes(available)));
        }
        const std::size_t page = alignment_of(size);
        const std::size_t whole_pages = std::max<std::size_t>(1, (size + page - 1) / page) * page;
        void* data = std::aligned_alloc(page, whole_pages);
        if (data == nullptr) refuse(size, "the kernel refused it; ulimit -v may be the cause");
        // A kernel that has no such pages, or none left, gives others.
        if (page == huge_page) static_cast<void>(madvise(data, whole_pages, MADV_HUGEPAGE));
        std::memset(data, 0, whole_pages);
        return {data, size, &std::free};
    }

    std::uint64_t available_bytes(int ranks) const override {
        // An eighth stays with the MPI library's own buffers, the page cache and everybody else.
        return available_memory_bytes() / 8 * 7 / static_cast<std::uint64_t>(ranks);
    }
};

}  // namespace

std::unique_ptr<MemorySpace> make_host_memory() {
    return std::make_unique<HostMemory>();
}

}  // namespace railgauge
