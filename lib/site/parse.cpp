// SPDX-License-Identifier: Apache-2.0
#include "site/parse.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "site/draft.hpp"
#include "site/limits.hpp"
#include "site/nesting.hpp"

namespace railgauge {
namespace site {
namespace {

constexpr int newest_format = 1;
constexpr std::string_view shared = "shared";

std::uint32_t line_at(std::string_view text, std::size_t offset) {
    return static_cast<std::uint32_t>(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

/// What the TOML library must not be given, or cannot name the line of.
void check_text(std::string_view text, Mistakes& mistakes) {
    if (text.size() > most_file_bytes) {
        mistakes.add({1, ""}, "the file is too large",
                     fmt::format("a site file has at most {} bytes", most_file_bytes),
                     "check that it is a site file; ranges such as gpu[01-12] keep it short");
        return;
    }
    const std::size_t good = utf8_prefix_bytes(text);
    if (good < text.size()) {
        mistakes.add({line_at(text, good), ""}, fmt::format("byte {} is no UTF-8 text", good),
                     "a site file is TOML in UTF-8", "save it as UTF-8");
        return;
    }
    if (const auto line = line_of_too_deep_key(text)) {
        mistakes.add({*line, ""}, "a key has too many dots", "no table of a site file is that deep",
                     "write the table as docs/site-file.md shows");
    }
}

void read_control(TableReader& root, Draft& draft) {
    const std::string name = root.text("control_interface", Need::required, interface_name);
    if (name.empty() || name == shared) return;
    draft.site.control_interface = name;
    for (const NodeGroup& group : draft.site.groups) {
        const auto port = std::find_if(group.ports.begin(), group.ports.end(),
                                       [&](const Port& p) { return p.netdev == name; });
        if (port == group.ports.end()) continue;
        root.mistakes().add(
            root.place("control_interface"),
            fmt::format("{} is a port of group {}", quoted(name), quoted(group.name)),
            "control traffic would disturb what is measured there",
            "name another interface, or say \"shared\" where there is none");
        return;
    }
}

/// Keys of an unknown format mean nothing, so nothing else is read of it.
bool read_format(TableReader& root) {
    const auto format = root.integer("format", Need::required, 1, 1 << 30);
    if (!format || *format <= newest_format) return true;
    root.mistakes().add(root.place("format"), fmt::format("format {} is not known", *format),
                        fmt::format("this program knows format {}", newest_format),
                        "use a newer Railgauge");
    return false;
}

void read_root(const toml::table& table, Draft& draft, Mistakes& mistakes) {
    TableReader root(table, {1, ""}, "a site file", mistakes);
    if (!read_format(root)) return;
    draft.site.name = root.text("name", Need::required, label);
    read_planes(root, draft);
    read_rails(root, draft);
    read_groups(root, draft);
    read_leaves(root, draft);
    read_control(root, draft);
    root.finish();
}

void read_text(std::string_view text, Draft& draft, Mistakes& mistakes) {
    check_text(text, mistakes);
    if (mistakes.count() > 0) return;
    try {
        read_root(toml::parse(text), draft, mistakes);
    } catch (const toml::parse_error& error) {
        mistakes.add({std::max(error.source().begin.line, 1u), ""}, "this is no TOML",
                     std::string(error.description()),
                     "correct the line; https://toml.io tells how TOML is written");
    }
}

}  // namespace
}  // namespace site

SiteReading read_site(std::string_view text, const std::string& file_name) {
    site::Mistakes mistakes(file_name);
    site::Draft draft;
    site::read_text(text, draft, mistakes);
    SiteReading reading{std::nullopt, mistakes.lines()};
    if (mistakes.count() == 0) reading.site = std::move(draft.site);
    return reading;
}

Site parse_site(std::string_view text, const std::string& file_name) {
    SiteReading reading = read_site(text, file_name);
    if (reading.site) return std::move(*reading.site);
    std::string line = reading.mistakes.front();
    if (reading.mistakes.size() > 1) {
        line += fmt::format("; {} more mistakes: railgauge-site shows all",
                            reading.mistakes.size() - 1);
    }
    throw Error(ExitCode::usage, line);
}

}  // namespace railgauge
