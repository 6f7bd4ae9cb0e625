// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <cstdint>

namespace railgauge {
namespace {

bool is_continuation(char c) {
    return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80;
}

std::size_t length_by_lead(std::uint8_t lead) {
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    if (lead >= 0xf0 && lead <= 0xf4) return 4;
    return lead < 0x80 ? 1 : 0;
}

/// What the lead byte cannot tell: overlong forms, surrogates, code points past U+10FFFF; and C1
/// controls.
bool is_allowed_second(std::uint8_t lead, std::uint8_t second) {
    switch (lead) {
        case 0xc2: return second >= 0xa0;
        case 0xe0: return second >= 0xa0;
        case 0xed: return second < 0xa0;
        case 0xf0: return second >= 0x90;
        case 0xf4: return second < 0x90;
        default: return true;
    }
}

/// Bytes of the character at the beginning of `text`; 0 when there is none.
std::size_t character_bytes(std::string_view text) {
    const auto lead = static_cast<std::uint8_t>(text[0]);
    const std::size_t length = length_by_lead(lead);
    if (length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    if (length > 1 && !is_allowed_second(lead, static_cast<std::uint8_t>(text[1]))) return 0;
    return length;
}

}  // namespace

std::string whole_characters(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return std::string(text);
    std::size_t end = most_bytes;
    while (end > 0 && is_continuation(text[end]))
        --end;
    return std::string(text.substr(0, end));
}

std::size_t utf8_prefix_bytes(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size()) {
        const std::size_t length = character_bytes(text.substr(end));
        if (length == 0) break;
        end += length;
    }
    return end;
}

std::string printable_utf8(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = character_bytes(text);
        const auto first = static_cast<std::uint8_t>(text[0]);
        const bool shows = length > 0 && first >= 0x20 && first != 0x7f;
        shown += shows ? text.substr(0, length) : "?";
        text.remove_prefix(length > 0 ? length : 1);
    }
    return shown;
}

}  // namespace railgauge
