// SPDX-License-Identifier: Apache-2.0
#include "site/names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "site/mistakes.hpp"

namespace railgauge::site {
namespace {

constexpr std::size_t most_label_bytes = 255;
constexpr std::size_t most_host_bytes = 253;      // RFC 1035
constexpr std::size_t most_interface_bytes = 15;  // IFNAMSIZ - 1
constexpr std::size_t most_rdma_bytes = 63;       // IB_DEVICE_NAME_MAX - 1
constexpr std::size_t longest_compared = 64;
constexpr std::size_t most_listed = 12;

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

std::string why_bad_length(std::string_view text, std::size_t most_bytes) {
    if (text.empty()) return "it is empty";
    if (text.size() > most_bytes) return fmt::format("it is longer than {} bytes", most_bytes);
    return "";
}

std::string why_bad_word(std::string_view text, std::size_t most_bytes, std::string_view refused) {
    if (std::any_of(text.begin(), text.end(), is_control)) return "it has a control character";
    const std::size_t bad = text.find_first_of(refused);
    if (bad != std::string_view::npos)
        return fmt::format("it has a {}", quoted(text.substr(bad, 1)));
    return why_bad_length(text, most_bytes);
}

/// Insertions, deletions, replacements and swaps of neighbours that make `a` of `b` (optimal string
/// alignment: Damerau's distance without edits of what was swapped).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> row{i + 1};
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
            row.push_back(std::min({replaced, row[j] + 1, last[j + 1] + 1}));
            const bool is_swap = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (is_swap) row.back() = std::min(row.back(), before_last[j - 1] + 1);
        }
        before_last = std::exchange(last, std::move(row));
    }
    return last.back();
}

}  // namespace

std::string why_no_label(std::string_view text) {
    if (std::any_of(text.begin(), text.end(), is_control)) return "it has a control character";
    if (!text.empty() && (text.front() == ' ' || text.back() == ' ')) {
        return "it begins or ends with a blank";
    }
    return why_bad_length(text, most_label_bytes);
}

std::string why_no_host(std::string_view text) {
    if (text.starts_with('.')) return "it begins with a dot";
    return why_bad_word(text, most_host_bytes, " /,:*%#\"'[]");
}

std::string why_no_interface(std::string_view text) {
    return why_bad_word(text, most_interface_bytes, " /:");
}

std::string why_no_rdma_device(std::string_view text) {
    return why_bad_word(text, most_rdma_bytes, " /:");
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
    constexpr std::size_t shortest_beginning = 3;
    if (text.size() > longest_compared) return "";
    std::string best;
    std::size_t least = 1 + (text.size() < 4 ? 1 : std::max(std::size_t{2}, text.size() / 3));
    for (const std::string& candidate : candidates) {
        if (text.size() >= shortest_beginning && candidate.starts_with(text)) return candidate;
        if (candidate.size() > longest_compared) continue;
        const std::size_t d = distance(text, candidate);
        if (d >= least) continue;
        least = d;
        best = candidate;
    }
    return best;
}

std::string listed(const std::vector<std::string>& texts) {
    std::string result;
    for (std::size_t i = 0; i < std::min(texts.size(), most_listed); ++i) {
        result += fmt::format("{}{}", i == 0 ? "" : ", ", quoted(texts[i]));
    }
    if (texts.size() > most_listed) {
        result += fmt::format(" and {} more", texts.size() - most_listed);
    }
    return result;
}

}  // namespace railgauge::site
