// SPDX-License-Identifier: Apache-2.0
#include "site/mistakes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace railgauge::site {
namespace {

constexpr std::size_t most_kept = 100;
constexpr std::size_t most_quoted_bytes = 80;

}  // namespace

Mistakes::Mistakes(const std::string& file_name) : file_name_(printable_utf8(file_name)) {}

void Mistakes::add(const Place& place, const std::string& problem, const std::string& why,
                   const std::string& remedy) {
    if (++count_ > most_kept) return;
    const std::string key = place.key.empty() ? "" : place.key + ": ";
    const std::string text =
        fmt::format("{}:{}: {}{} ({}); {}", file_name_, place.line, key, problem, why, remedy);
    kept_.push_back({place.line, one_line(text)});
}

std::vector<std::string> Mistakes::lines() const {
    std::vector<Mistake> sorted = kept_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
    std::vector<std::string> lines;
    lines.reserve(sorted.size() + 1);
    for (Mistake& mistake : sorted)
        lines.push_back(std::move(mistake.text));
    if (count_ > most_kept) {
        lines.push_back(fmt::format("{}: {} more mistakes", file_name_, count_ - most_kept));
    }
    return lines;
}

std::string quoted(std::string_view text) {
    std::string shown = whole_characters(text, most_quoted_bytes);
    if (shown.size() < text.size()) shown += "...";
    return fmt::format("'{}'", printable_utf8(shown));
}

}  // namespace railgauge::site
