// SPDX-License-Identifier: Apache-2.0
#include "memory/available.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace railgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The file names of a control group's memory limit, of versions 2 and 1 of the interface.
struct GroupFiles {
    const char* mount;
    const char* limit;
    const char* usage;
    const char* reclaimable;  ///< key in memory.stat
};

constexpr GroupFiles version_2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"};

/// The number in a file of one number; none for "max", an absent or an unreadable file.
std::optional<std::uint64_t> read_number(const fs::path& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (stream >> number) return number;
    return std::nullopt;
}

/// The number after `key` in a file of lines "key number ...".
std::optional<std::uint64_t> read_entry(const fs::path& file, const std::string& key) {
    std::ifstream stream(file);
    std::string word;
    while (stream >> word) {
        std::uint64_t number = 0;
        if (word == key && stream >> number) return number;
        stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

/// What one group leaves. File pages that nobody uses count as free, as the kernel drops them
/// first.
std::uint64_t left_in_group(const fs::path& folder, const GroupFiles& files) {
    const auto limit = read_number(folder / files.limit);
    const auto usage = read_number(folder / files.usage);
    if (!limit || !usage) return unlimited;
    const std::uint64_t reclaimable =
        read_entry(folder / "memory.stat", files.reclaimable).value_or(0);
    const std::uint64_t used = *usage - std::min(*usage, reclaimable);
    return *limit - std::min(*limit, used);
}

/// The least that `group` and the groups around it leave. In a container the path may name folders
/// that only the host sees; the mount's top is then the container's own group.
std::uint64_t left_in_groups(const fs::path& mount, const fs::path& group,
                             const GroupFiles& files) {
    std::uint64_t left = left_in_group(mount, files);
    for (fs::path inner = group.relative_path(); !inner.empty(); inner = inner.parent_path()) {
        left = std::min(left, left_in_group(mount / inner, files));
    }
    return left;
}

std::uint64_t left_in_all_groups(const fs::path& root) {
    std::uint64_t left = unlimited;
    std::ifstream stream(root / "proc/self/cgroup");
    // Lines "0::/path" of version 2 and "4:memory:/path" of version 1.
    for (std::string line; std::getline(stream, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            left = std::min(left, left_in_groups(root / version_2.mount, path, version_2));
        } else if (controllers == "memory") {
            left = std::min(left, left_in_groups(root / version_1.mount, path, version_1));
        }
    }
    return left;
}

}  // namespace

std::uint64_t available_memory_bytes(const fs::path& root) {
    const auto kib = read_entry(root / "proc/meminfo", "MemAvailable:");
    return std::min(kib ? *kib * 1024 : unlimited, left_in_all_groups(root));
}

}  // namespace railgauge
