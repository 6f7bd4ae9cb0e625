// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

/// A file of /proc or /sys as text; none when it cannot be read. At most 1 MiB of it.
std::optional<std::string> read_small_file(const std::string& path);

std::vector<std::string_view> split_lines(std::string_view text);

/// The words of a line, separated by blanks and tabs.
std::vector<std::string_view> split_words(std::string_view line);

std::optional<std::uint64_t> parse_number(std::string_view word);

/// The text after "<key>" and its colon or equals sign in the first line that starts with the key.
std::optional<std::string> find_value(std::string_view text, std::string_view key, char separator);

}  // namespace railgauge
