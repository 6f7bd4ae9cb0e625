// SPDX-License-Identifier: Apache-2.0
#include "system/sysfs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tuple>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/utf8.hpp"
#include "system/proc_files.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_entries = 4096;
constexpr std::size_t most_name_bytes = 64;
constexpr std::size_t most_line_bytes = 256;
constexpr std::string_view blanks = " \t\r\n";

using Folder = std::unique_ptr<DIR, Destroyer<&::closedir>>;

bool is_plain(std::string_view name) {
    return name != "." && name != ".." && name.size() <= most_name_bytes &&
           printable_utf8(name) == name;
}

bool comes_before(const FolderEntry& left, const FolderEntry& right) {
    const auto key = [](const std::string& name) {
        const std::string_view text(name);
        const auto digits = text.find_last_not_of("0123456789") + 1;
        return std::tuple(text.substr(0, digits), text.size(), text);
    };
    return key(left.name) < key(right.name);
}

/// What of the file fits into `buffer`, from its beginning.
std::optional<std::string_view> read_beginning(const FileDescriptor& file, char* buffer,
                                               std::size_t bytes) {
    if (!file) return std::nullopt;
    const ssize_t count = ::pread(file.get(), buffer, bytes, 0);
    if (count < 0) return std::nullopt;
    return std::string_view(buffer, static_cast<std::size_t>(count));
}

}  // namespace

std::vector<FolderEntry> list_folder(const std::string& path) {
    std::vector<FolderEntry> entries;
    const Folder folder(::opendir(path.c_str()));
    if (!folder) return entries;
    while (entries.size() < most_entries) {
        const dirent* entry = ::readdir(folder.get());
        if (entry == nullptr) break;
        if (is_plain(entry->d_name)) entries.push_back({entry->d_name, entry->d_ino});
    }
    std::sort(entries.begin(), entries.end(), comes_before);
    return entries;
}

FileDescriptor open_regular(const std::string& path) {
    // Without O_NONBLOCK a pipe would wait for its writer.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return file;
}

std::optional<std::uint64_t> read_number(const FileDescriptor& file) {
    std::array<char, 32> buffer{};  // 20 digits and a line break fit
    const auto text = read_beginning(file, buffer.data(), buffer.size());
    if (!text || text->size() == buffer.size()) return std::nullopt;
    return parse_number(text->substr(0, text->find_last_not_of(blanks) + 1));
}

std::optional<std::string> read_first_line(const std::string& path) {
    std::array<char, 2 * most_line_bytes> buffer{};
    const auto text = read_beginning(open_regular(path), buffer.data(), buffer.size());
    if (!text) return std::nullopt;
    std::string_view line = text->substr(0, text->find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (line.empty()) return std::nullopt;
    return whole_characters(printable_utf8(line), most_line_bytes);
}

std::optional<std::string> link_name(const std::string& path) {
    std::error_code failed;
    const auto target = std::filesystem::read_symlink(path, failed);
    const std::string name = failed ? std::string() : target.filename().string();
    if (name.empty() || !is_plain(name)) return std::nullopt;
    return name;
}

}  // namespace railgauge
