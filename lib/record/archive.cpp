// SPDX-License-Identifier: Apache-2.0
#include "record/archive.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/log.hpp"
#include "record/values.hpp"

namespace railgauge {
namespace {

namespace fs = std::filesystem;

/// Why a file is left out; empty = it is not.
std::string obstacle(const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return std::generic_category().message(errno);
    if (!is_archive_name(path.filename().native())) return "its name has other characters";
    if (!S_ISREG(status.st_mode)) return "it is no regular file";
    if (static_cast<std::uint64_t>(status.st_size) > most_archive_bytes)
        return fmt::format("it is larger than {} MiB", most_archive_bytes >> 20);
    if (::access(path.c_str(), R_OK) != 0) return std::generic_category().message(errno);
    return "";
}

struct Listing {
    std::vector<fs::path> kept;
    std::vector<std::string> left_out;  ///< a line for each
};

Listing list(const fs::path& folder) {
    std::vector<fs::path> all;
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(folder, error))) return {};
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        all.push_back(entry->path());
    }
    std::sort(all.begin(), all.end());
    Listing found;
    for (const fs::path& path : all) {
        std::string why = obstacle(path);
        if (why.empty() && found.kept.size() == most_archive_files)
            why = fmt::format("a run keeps {} files", most_archive_files);
        if (why.empty()) {
            found.kept.push_back(path);
        } else {
            found.left_out.push_back(
                fmt::format("'{}' does not go into the run: {}", path.native(), why));
        }
    }
    return found;
}

/// Nothing when it cannot be read, which is said: it costs the run no more than this file.
std::optional<std::string> read_file(const fs::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::string text(most_archive_bytes, '\0');
    std::size_t filled = 0;
    ssize_t count = file ? 1 : -1;
    while (count > 0 && filled < text.size()) {
        count = ::read(file.get(), text.data() + filled, text.size() - filled);
        if (count > 0) filled += static_cast<std::size_t>(count);
    }
    if (count < 0) {
        log_root("'{}' does not go into the run: {}", path.native(),
                 std::generic_category().message(errno));
        return std::nullopt;
    }
    text.resize(filled);
    return text;
}

}  // namespace

bool is_archive_name(std::string_view name) {
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !name.empty() && name.front() != '.' &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

void write_archive(hid_t run, const fs::path& folder) {
    const Listing files = list(folder);
    for (const std::string& line : files.left_out)
        log_text_root(line);
    if (files.kept.empty()) return;
    const hdf5::Group group = hdf5::create_group(run, "archive");
    for (const fs::path& path : files.kept) {
        const std::optional<std::string> text = read_file(path);
        if (text) hdf5::write_text(group.get(), path.filename().c_str(), *text);
    }
}

void remove_archive(const fs::path& folder) {
    for (const fs::path& path : list(folder).kept)
        check_errno(::unlink(path.c_str()), "removing", path);
    ::rmdir(folder.c_str());  // stays when something else is in it, or was never made
}

}  // namespace railgauge
