// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railgauge {

/// Numbers and texts one after the other, little-endian, texts with their length before them.
class CardWriter {
  public:
    template <class Number>
    void number(Number value) {
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    void text(std::string_view text);
    void raw(std::span<const std::uint8_t> bytes);
    std::vector<std::byte> finish() && { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

/// Reads what a CardWriter wrote, and expects anything.
class CardReader {
  public:
    explicit CardReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    /// @throws std::out_of_range at the end
    template <class Number>
    Number number() {
        std::uint64_t value = 0;
        const std::span<const std::byte> bytes = take(sizeof(Number));
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
        return static_cast<Number>(value);
    }

    /// Without control characters and bytes that are no UTF-8.
    /// @throws std::out_of_range at the end, or when the text is longer
    std::string text(std::size_t most_bytes);
    void raw(std::span<std::uint8_t> out);
    bool is_at_end() const { return rest_.empty(); }

  private:
    std::span<const std::byte> take(std::size_t count);

    std::span<const std::byte> rest_;
};

}  // namespace railgauge
