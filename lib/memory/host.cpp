// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
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
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t whole_pages = (size / page + 1) * page;
        void* data = std::aligned_alloc(page, whole_pages);
        if (data == nullptr) refuse(size, "the kernel refused it; ulimit -v may be the cause");
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
