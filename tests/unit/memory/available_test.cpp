// SPDX-License-Identifier: Apache-2.0
#include "memory/available.hpp"

#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

/// A folder that stands for `/`, with the files a test writes.
class AvailableMemoryTest : public testing::Test {
  protected:
    AvailableMemoryTest() {
        std::string name = (fs::temp_directory_path() / "railgauge-root-XXXXXX").string();
        root_ = mkdtemp(name.data());
        write("proc/meminfo", "MemTotal:  33554432 kB\nMemFree: 1 kB\nMemAvailable: 16777216 kB\n");
    }
    ~AvailableMemoryTest() override { fs::remove_all(root_); }

    void write(const fs::path& file, const std::string& text) {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }

    void write_group(const std::string& folder, std::uint64_t limit, std::uint64_t usage,
                     std::uint64_t inactive_file) {
        const fs::path group = fs::path("sys/fs/cgroup") / folder;
        write(group / "memory.max", std::to_string(limit) + "\n");
        write(group / "memory.current", std::to_string(usage) + "\n");
        write(group / "memory.stat",
              "anon 5\ninactive_file " + std::to_string(inactive_file) + "\n");
    }

    fs::path root_;
};

TEST_F(AvailableMemoryTest, is_what_the_kernel_says_without_a_limit) {
    EXPECT_EQ(available_memory_bytes(root_), 16 * gib);
}

TEST_F(AvailableMemoryTest, counts_the_unused_file_pages_of_a_limited_group_as_free) {
    write("proc/self/cgroup", "0::/\n");
    write_group("", 4 * gib, 3 * gib, 1 * gib);
    EXPECT_EQ(available_memory_bytes(root_), 2 * gib);
}

TEST_F(AvailableMemoryTest, is_the_least_of_all_enclosing_groups) {
    write("proc/self/cgroup", "0::/job/step\n");
    write_group("job/step", 8 * gib, 1 * gib, 0);
    write_group("job", 6 * gib, 1 * gib, 0);
    EXPECT_EQ(available_memory_bytes(root_), 5 * gib);
}

TEST_F(AvailableMemoryTest, a_group_without_a_limit_does_not_limit) {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/memory.current", "1\n");
    EXPECT_EQ(available_memory_bytes(root_), 16 * gib);
}

TEST_F(AvailableMemoryTest, reads_version_1_groups_too) {
    write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/pod\n");
    write("sys/fs/cgroup/memory/pod/memory.limit_in_bytes", std::to_string(2 * gib));
    write("sys/fs/cgroup/memory/pod/memory.usage_in_bytes", std::to_string(gib));
    write("sys/fs/cgroup/memory/pod/memory.stat", "cache 7\ntotal_inactive_file 0\n");
    EXPECT_EQ(available_memory_bytes(root_), gib);
}

TEST_F(AvailableMemoryTest, a_group_over_its_limit_leaves_nothing) {
    write("proc/self/cgroup", "0::/\n");
    write_group("", gib, 2 * gib, 0);
    EXPECT_EQ(available_memory_bytes(root_), 0u);
}

TEST_F(AvailableMemoryTest, is_unlimited_where_nothing_can_be_read) {
    fs::remove_all(root_ / "proc");
    EXPECT_EQ(available_memory_bytes(root_), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace railgauge
