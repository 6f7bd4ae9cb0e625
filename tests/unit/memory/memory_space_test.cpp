// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_space.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

using testing::HasSubstr;

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HostMemoryTest, is_page_aligned_and_as_large_as_asked) {
    const auto memory = make_host_memory();
    for (const std::size_t size : {1, 4095, 4096, 1'000'000}) {
        const Buffer buffer = memory->allocate(size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % page_bytes(), 0u);
        EXPECT_EQ(buffer.size(), size);
    }
}

TEST(HostMemoryTest, has_all_pages_present_before_it_is_used) {
    const Buffer buffer = make_host_memory()->allocate(50 * page_bytes());
    std::vector<unsigned char> present(50);
    ASSERT_EQ(mincore(buffer.data(), buffer.size(), present.data()), 0);
    EXPECT_TRUE(std::all_of(present.begin(), present.end(), [](auto page) { return page & 1; }));
}

TEST(HostMemoryTest, a_size_of_zero_gives_a_valid_pointer) {
    EXPECT_NE(make_host_memory()->allocate(0).data(), nullptr);
}

TEST(HostMemoryTest, refuses_what_the_node_does_not_have) {
    try {
        make_host_memory()->allocate(std::size_t{1} << 60);
        FAIL() << "allocated";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::library);
        EXPECT_THAT(error.what(), HasSubstr("of host memory cannot be had (this node has "));
    }
}

TEST(HostMemoryTest, ranks_of_a_node_share_what_it_has) {
    const auto memory = make_host_memory();
    const auto alone = static_cast<double>(memory->available_bytes(1));
    // Other processes come and go meanwhile.
    EXPECT_NEAR(static_cast<double>(memory->available_bytes(8)), alone / 8, alone / 16);
}

TEST(HostMemoryTest, large_buffers_begin_where_a_huge_page_can) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    const Buffer buffer = make_host_memory()->allocate(huge_page + 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % huge_page, 0u);
}

TEST(HostMemoryTest, is_no_device_memory_to_export) {
    const auto memory = make_host_memory();
    const Buffer buffer = memory->allocate(1);
    EXPECT_FALSE(memory->export_dma_buf(buffer.data(), 1));
}

TEST(HugeMemoryTest, more_pages_than_there_are_is_refused_with_the_counts_and_the_remedy) {
    const auto memory = make_huge_memory();
    try {
        memory->allocate(memory->available_bytes(1) + (std::size_t{1} << 44));
        FAIL() << "allocated";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::library);
        EXPECT_THAT(error.what(), HasSubstr("/sys/kernel/mm/hugepages/hugepages-"));
        EXPECT_THAT(error.what(), HasSubstr("free_hugepages"));
        EXPECT_THAT(error.what(), HasSubstr("nr_hugepages as root"));
    }
}

TEST(HugeMemoryTest, pages_that_there_are_can_be_written) {
    const auto memory = make_huge_memory();
    if (memory->available_bytes(1) == 0) GTEST_SKIP() << "no huge pages are set aside here";
    const Buffer buffer = memory->allocate(1000);
    std::fill_n(static_cast<char*>(buffer.data()), buffer.size(), 'x');
    EXPECT_EQ(buffer.size(), 1000u);
}

TEST(MakeMemorySpaceTest, memory_of_a_gpu_is_known_as_such_whether_built_in_or_not) {
    EXPECT_FALSE(needs_gpu("host"));
    EXPECT_FALSE(needs_gpu("huge"));
    for (const char* name : {"cuda", "pinned"}) {
        EXPECT_TRUE(needs_gpu(name));
        try {
            EXPECT_EQ(make_memory_space(name)->name(), name);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_THAT(error.what(), testing::HasSubstr("not configured: built without CUDA"));
        }
    }
}

TEST(MakeMemorySpaceTest, an_unknown_name_is_refused) {
    EXPECT_THROW(make_memory_space("disk"), Error);
    EXPECT_EQ(make_memory_space("host")->name(), "host");
}

}  // namespace
}  // namespace railgauge
