// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace railgauge {

/// FNV-1a over texts, 64 bits: the same on every machine and in every version.
class Fnv1a {
  public:
    void add(std::string_view text) noexcept {
        for (const char c : text)
            add_byte(static_cast<unsigned char>(c));
        add_byte(0xff);  // ends a text, so that "ab","c" differs from "a","bc"
    }

    std::uint64_t value() const noexcept { return value_; }

  private:
    void add_byte(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3; }

    std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace railgauge
