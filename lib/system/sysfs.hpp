// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"

namespace railgauge {

/// What is read here may be odd or hostile: a container's view, a broken driver, a user's fixture.
/// So sizes are bounded, nothing but regular files is read, and what cannot be read is absent.

struct FolderEntry {
    std::string name;
    std::uint64_t inode = 0;  ///< another one under the same name: the file was made anew
};

/// The entries of a folder, numbers at the ends of names in order (mlx5_2 before mlx5_10). None
/// where it cannot be read; without those whose name is longer than any of the kernel's (64 B) or
/// has characters that do not print; 4096 at most.
std::vector<FolderEntry> list_folder(const std::string& path);

/// A regular file, to be read again and again; none when it is something else or cannot be opened.
FileDescriptor open_regular(const std::string& path);

/// The number that an open file holds now, read from its beginning: digits and a line break, and
/// no more.
std::optional<std::uint64_t> read_number(const FileDescriptor& file);

/// A file's first line, without blanks around it, at most 256 B, what does not print replaced by
/// "?"; none when it cannot be read or is empty.
std::optional<std::string> read_first_line(const std::string& path);

/// The last name in what a symbolic link says; none when it is no link.
std::optional<std::string> link_name(const std::string& path);

}  // namespace railgauge
