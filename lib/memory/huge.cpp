// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "memory/memory_space.hpp"

namespace railgauge {
namespace {

/// Bytes of the kernel's default huge page; 2 MiB where it does not say.
std::size_t huge_page_bytes() {
    constexpr std::size_t usual = std::size_t{2} << 20;
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key;
        std::size_t kib = 0;
        if (words >> key >> kib && key == "Hugepagesize:") return kib * 1024;
    }
    return usual;
}

std::string counts_folder(std::size_t page) {
    return fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB", page / 1024);
}

std::uint64_t read_count(std::size_t page, const char* name) {
    std::uint64_t count = 0;
    std::ifstream(fmt::format("{}/{}", counts_folder(page), name)) >> count;
    return count;
}

/// Pages that nobody has, nor was promised.
std::uint64_t unclaimed_pages(std::size_t page) {
    const std::uint64_t free = read_count(page, "free_hugepages");
    const std::uint64_t promised = read_count(page, "resv_hugepages");
    return free > promised ? free - promised : 0;
}

[[noreturn]] void refuse(std::size_t pages, std::size_t page, int error) {
    const std::string folder = counts_folder(page);
    throw Error(
        ExitCode::library,
        fmt::format("{} huge pages of {} cannot be had", pages, format_bytes(page)),
        fmt::format("{}; {} has nr_hugepages {}, free_hugepages {}, resv_hugepages {}",
                    std::generic_category().message(error), folder,
                    read_count(page, "nr_hugepages"), read_count(page, "free_hugepages"),
                    read_count(page, "resv_hugepages")),
        error == EINVAL
            ? "the kernel is older than 5.14, which can fill pages beforehand: use --memory host"
            : fmt::format("write a greater number to {}/nr_hugepages as root, or use --memory host",
                          folder));
}

/// A page that is lacking would be SIGBUS at the first touch, so all are asked for here.
Buffer map_pages(std::size_t size) {
    const std::size_t page = huge_page_bytes();
    if (size > std::numeric_limits<std::size_t>::max() / 2) refuse(size / page, page, ENOMEM);
    const std::size_t pages = std::max<std::size_t>(1, (size + page - 1) / page);
    const std::size_t bytes = pages * page;
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (data == MAP_FAILED) refuse(pages, page, errno);
    Buffer buffer(data, size, [bytes](void* memory) {
        if (memory != nullptr) static_cast<void>(munmap(memory, bytes));
    });
    if (madvise(data, bytes, MADV_POPULATE_WRITE) != 0) refuse(pages, page, errno);
    return buffer;
}

class HugeMemory : public MemorySpace {
  public:
    std::string_view name() const override { return "huge"; }
    Buffer allocate(std::size_t size) override { return map_pages(size); }

    std::uint64_t available_bytes(int ranks) const override {
        const std::size_t page = huge_page_bytes();
        return unclaimed_pages(page) / static_cast<std::uint64_t>(ranks) * page;
    }
};

}  // namespace

std::unique_ptr<MemorySpace> make_huge_memory() {
    return std::make_unique<HugeMemory>();
}

}  // namespace railgauge
