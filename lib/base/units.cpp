// SPDX-License-Identifier: Apache-2.0
#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_sizes = 100'000;

[[noreturn]] void bad_size(std::string_view text, const char* why) {
    throw Error(ExitCode::usage, fmt::format("'{}' is no size", text), why,
                "write sizes as 4096, 64KiB, 16MB or 8:16MiB:2x");
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::uint64_t multiplier(std::string_view text, std::string suffix) {
    if (!suffix.empty() && suffix.back() == 'b') suffix.pop_back();
    if (suffix.empty()) return 1;
    const auto power = std::string_view("kmgt").find(suffix.front());
    const bool binary = suffix.size() == 2 && suffix.back() == 'i';
    if (power == std::string_view::npos || (suffix.size() != 1 && !binary))
        bad_size(text, "unknown unit");
    std::uint64_t result = 1;
    for (std::size_t i = 0; i <= power; ++i)
        result *= binary ? 1024 : 1000;
    return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Appends first, first * step or first + step, ... up to last.
void append_range(std::string_view text, const std::vector<std::string_view>& parts,
                  std::vector<std::uint64_t>& sizes) {
    const std::uint64_t last = parse_bytes(parts[1]);
    const bool geometric =
        parts.size() == 2 || (parts[2].size() > 1 && std::tolower(parts[2].back()) == 'x');
    const std::string_view step_text = parts.size() == 2 ? "2" : parts[2];
    const std::uint64_t step = parse_bytes(
        geometric && parts.size() == 3 ? step_text.substr(0, step_text.size() - 1) : step_text);
    std::uint64_t size = parse_bytes(parts[0]);
    if (size > last) bad_size(text, "the first size is larger than the last");
    if (step == 0 || (geometric && (step < 2 || size == 0))) bad_size(text, "it would never end");
    while (size <= last) {
        if (sizes.size() >= most_sizes) bad_size(text, "more than 100,000 sizes");
        sizes.push_back(size);
        const std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
        if (geometric ? size > room / step : size > room - step) return;
        size = geometric ? size * step : size + step;
    }
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) bad_size(text, "it exceeds 64 bits");
    if (error != std::errc{}) bad_size(text, "it does not start with a whole number");
    const std::uint64_t unit =
        multiplier(text, lower(std::string_view(rest, static_cast<std::size_t>(end - rest))));
    if (number > std::numeric_limits<std::uint64_t>::max() / unit)
        bad_size(text, "it exceeds 64 bits");
    return number * unit;
}

std::vector<std::uint64_t> parse_byte_list(std::string_view text) {
    std::vector<std::uint64_t> sizes;
    for (const std::string_view item : split(text, ',')) {
        const auto parts = split(item, ':');
        if (parts.size() > 3) bad_size(item, "a range has a first, a last and a step");
        if (parts.size() == 1) {
            sizes.push_back(parse_bytes(item));
        } else {
            append_range(item, parts, sizes);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::int64_t parse_duration_ns(std::string_view text) {
    struct Unit {
        std::string_view suffix;
        double ns;
    };
    constexpr std::array<Unit, 7> units{
        {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9}}};
    constexpr double most_ns = 1000 * 3600e9;
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string suffix = lower(std::string_view(rest, static_cast<std::size_t>(end - rest)));
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.suffix == suffix; });
    const double ns = unit == units.end() ? 0 : number * unit->ns;
    if (error != std::errc{} || !std::isfinite(ns) || ns < 1 || ns > most_ns) {
        throw Error(ExitCode::usage, fmt::format("'{}' is no duration", text),
                    "it must be positive and below 1000 h", "write 250ms, 1.5s or 2min");
    }
    return static_cast<std::int64_t>(ns);
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t power = 0;
    while (power + 1 < names.size() && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        ++power;
    }
    return fmt::format("{} {}", bytes, names[power]);
}

}  // namespace railgauge
