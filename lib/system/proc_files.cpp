// SPDX-License-Identifier: Apache-2.0
#include "system/proc_files.hpp"

#include <charconv>
#include <fstream>

namespace railgauge {

std::optional<std::string> read_small_file(const std::string& path) {
    constexpr std::size_t most_bytes = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text(most_bytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::vector<std::string_view> split_words(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const auto end = line.find_first_of(" \t");
        words.push_back(line.substr(0, end));
        if (end == std::string_view::npos) return words;
        line.remove_prefix(end);
    }
}

std::optional<std::uint64_t> parse_number(std::string_view word) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || rest != word.data() + word.size()) return std::nullopt;
    return number;
}

std::optional<std::string> find_value(std::string_view text, std::string_view key, char separator) {
    for (const std::string_view line : split_lines(text)) {
        const auto position = line.find(separator);
        if (!line.starts_with(key) || position == std::string_view::npos) continue;
        const auto begin = line.find_first_not_of(" \t\"", position + 1);
        if (begin == std::string_view::npos) return std::string();
        const auto end = line.find_last_not_of(" \t\"\r");
        return std::string(line.substr(begin, end + 1 - begin));
    }
    return std::nullopt;
}

}  // namespace railgauge
