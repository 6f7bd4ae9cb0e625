// SPDX-License-Identifier: Apache-2.0
#include "site/names.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "site/mistakes.hpp"

namespace railgauge::site {
namespace {

constexpr std::size_t most_label_bytes = 255;
constexpr std::size_t most_host_bytes = 253;      // RFC 1035
constexpr std::size_t most_interface_bytes = 15;  // IFNAMSIZ - 1
constexpr std::size_t most_rdma_bytes = 63;       // IB_DEVICE_NAME_MAX - 1
constexpr std::size_t longest_compared = 64;
constexpr std::size_t most_listed = 8;

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

/// Insertions, deletions and replacements that make `a` of `b` (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
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
    return why_bad_word(text, most_host_bytes, " /,:*%#\"'[]");
}

std::string why_no_interface(std::string_view text) {
    return why_bad_word(text, most_interface_bytes, " /:");
}

std::string why_no_rdma_device(std::string_view text) {
    return why_bad_word(text, most_rdma_bytes, " /:");
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
    if (text.size() > longest_compared) return "";
    std::string best;
    std::size_t least = 1 + std::max(std::size_t{1}, text.size() / 3);
    for (const std::string& candidate : candidates) {
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
