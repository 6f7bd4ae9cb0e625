// SPDX-License-Identifier: Apache-2.0
#include "site/host_pattern.hpp"

#include <charconv>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "site/mistakes.hpp"
#include "site/names.hpp"

namespace railgauge::site {
namespace {

/// Stays in this file: becomes HostExpansion::why.
struct BadPattern : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Range {
    std::uint64_t first;
    std::uint64_t last;
    std::size_t width;
};

/// A literal text, or the numbers of one pair of brackets.
struct Part {
    std::string_view literal;
    std::vector<Range> ranges;
};

std::uint64_t number(std::string_view digits) {
    constexpr std::size_t most_digits = 9;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_whole = error == std::errc{} && end == digits.data() + digits.size();
    if (!is_whole || digits.size() > most_digits) {
        throw BadPattern(
            fmt::format("{} is no number of up to {} digits", quoted(digits), most_digits));
    }
    return value;
}

Range parse_range(std::string_view text) {
    const std::size_t dash = text.find('-');
    const std::string_view first = text.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
    const Range range{number(first), number(last), first.size()};
    if (range.first > range.last) {
        throw BadPattern(fmt::format("the range {} runs backwards", quoted(text)));
    }
    if (last.size() != first.size() && last.front() == '0') {
        throw BadPattern(fmt::format("the ends of {} have different widths", quoted(text)));
    }
    return range;
}

std::vector<Range> parse_brackets(std::string_view text) {
    std::vector<Range> ranges;
    while (true) {
        const std::size_t comma = text.find(',');
        ranges.push_back(parse_range(text.substr(0, comma)));
        if (comma == std::string_view::npos) return ranges;
        text.remove_prefix(comma + 1);
    }
}

std::vector<Part> parse_parts(std::string_view pattern) {
    std::vector<Part> parts;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('[');
        if (open != 0) parts.push_back({pattern.substr(0, open), {}});
        if (open == std::string_view::npos) break;
        const std::size_t close = pattern.find(']', open);
        if (close == std::string_view::npos) throw BadPattern("a [ has no ]");
        parts.push_back({{}, parse_brackets(pattern.substr(open + 1, close - open - 1))});
        pattern.remove_prefix(close + 1);
    }
    return parts;
}

/// Hosts that the parts mean, or anything above `most`.
std::uint64_t count_hosts(const std::vector<Part>& parts, std::uint64_t most) {
    std::uint64_t product = 1;
    for (const Part& part : parts) {
        if (part.ranges.empty()) continue;
        std::uint64_t sum = 0;  // below 1e9 x 1e6 ranges of a file of 1 MiB
        for (const Range& range : part.ranges)
            sum += range.last - range.first + 1;
        if (sum > most / product) return most + 1;
        product *= sum;
    }
    return product;
}

void append(const Part& part, std::vector<std::string>& hosts) {
    if (part.ranges.empty()) {
        for (std::string& host : hosts)
            host += part.literal;
        return;
    }
    std::vector<std::string> longer;
    for (const std::string& host : hosts) {
        for (const Range& range : part.ranges) {
            for (std::uint64_t n = range.first; n <= range.last; ++n)
                longer.push_back(fmt::format("{}{:0{}}", host, n, range.width));
        }
    }
    hosts = std::move(longer);
}

std::vector<std::string> hosts_of(std::string_view pattern, std::size_t most) {
    const std::vector<Part> parts = parse_parts(pattern);
    if (count_hosts(parts, most) > most) {
        throw BadPattern(fmt::format("it means more hosts than the {} that are left", most));
    }
    std::vector<std::string> hosts{""};
    for (const Part& part : parts)
        append(part, hosts);
    for (const std::string& host : hosts) {
        const std::string why = why_no_host(host);
        if (!why.empty()) throw BadPattern(why);
    }
    return hosts;
}

}  // namespace

HostExpansion expand_hosts(std::string_view pattern, std::size_t most) {
    try {
        return {hosts_of(pattern, most), ""};
    } catch (const BadPattern& bad) {
        return {{}, bad.what()};
    }
}

}  // namespace railgauge::site
