// SPDX-License-Identifier: Apache-2.0
#include "site/nesting.hpp"

#include <algorithm>
#include <string>

namespace railgauge::site {
namespace {

constexpr int most_dots = 8;

/// The text after the string that `text` begins with, and how many lines the string spans.
struct Skipped {
    std::string_view rest;
    std::uint32_t lines = 0;
};

Skipped skip_string(std::string_view text) {
    const std::string triple(3, text.front());
    const bool is_long = text.starts_with(triple);
    const std::string_view closing = std::string_view(triple).substr(0, is_long ? 3 : 1);
    const bool has_escapes = text.front() == '"';
    Skipped skipped{text.substr(closing.size())};
    while (!skipped.rest.empty() && !skipped.rest.starts_with(closing)) {
        if (skipped.rest.front() == '\n') {
            if (!is_long) return skipped;  // unclosed: no valid TOML from here on
            ++skipped.lines;
        }
        const bool is_escape = has_escapes && skipped.rest.front() == '\\' &&
                               skipped.rest.size() > 1 && skipped.rest[1] != '\n';
        skipped.rest.remove_prefix(is_escape ? 2 : 1);
    }
    skipped.rest.remove_prefix(std::min(closing.size(), skipped.rest.size()));
    for (int i = 0; is_long && i < 2 && skipped.rest.starts_with(triple.front()); ++i) {
        skipped.rest.remove_prefix(1);  // quotes of the string itself, in front of its end
    }
    return skipped;
}

}  // namespace

std::optional<std::uint32_t> line_of_too_deep_key(std::string_view text) {
    std::uint32_t line = 1;
    int dots = 0;
    while (!text.empty()) {
        const char c = text.front();
        if (c == '"' || c == '\'') {
            const Skipped skipped = skip_string(text);
            text = skipped.rest;
            line += skipped.lines;
            continue;
        }
        if (c == '#') text.remove_prefix(std::min(text.find('\n'), text.size()));
        if (text.empty()) break;
        if (text.front() == '\n') ++line;
        if (text.front() == '.') ++dots;
        if (std::string_view("\n=,[]{}").find(text.front()) != std::string_view::npos) dots = 0;
        if (dots > most_dots) return line;
        text.remove_prefix(1);
    }
    return std::nullopt;
}

}  // namespace railgauge::site
