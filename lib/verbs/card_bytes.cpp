// SPDX-License-Identifier: Apache-2.0
#include "verbs/card_bytes.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/utf8.hpp"

namespace railgauge {

void CardWriter::text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    for (const char c : text)
        bytes_.push_back(static_cast<std::byte>(c));
}

void CardWriter::raw(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes)
        bytes_.push_back(static_cast<std::byte>(byte));
}

std::string CardReader::text(std::size_t most_bytes) {
    const auto size = number<std::uint32_t>();
    if (size > most_bytes) throw std::out_of_range("a text is too long");
    std::string text;
    for (const std::byte byte : take(size))
        text.push_back(static_cast<char>(byte));
    return printable_utf8(text);
}

void CardReader::raw(std::span<std::uint8_t> out) {
    std::ranges::transform(take(out.size()), out.begin(),
                           [](std::byte byte) { return static_cast<std::uint8_t>(byte); });
}

std::span<const std::byte> CardReader::take(std::size_t count) {
    if (count > rest_.size()) throw std::out_of_range("it ends too early");
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

}  // namespace railgauge
