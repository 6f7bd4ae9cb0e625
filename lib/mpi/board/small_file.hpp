// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace railgauge::board {

/// Makes `path` hold `text` by renaming a finished file over it. False, with errno set, on failure.
/// @param mode permissions, e.g. 0600
bool replace_file(const std::filesystem::path& path, const std::string& text, unsigned mode);

/// The text of a regular file of at most `most_bytes`; nothing when it is absent, larger or
/// unreadable.
std::optional<std::string> read_small_file(const std::filesystem::path& path,
                                           std::size_t most_bytes);

}  // namespace railgauge::board
