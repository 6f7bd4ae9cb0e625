// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace railgauge {

/// The longest beginning of `text` of at most `most_bytes` bytes that cuts no UTF-8 character.
std::string whole_characters(std::string_view text, std::size_t most_bytes);

/// Bytes of `text` before the first one that is no UTF-8; the control characters U+0080 to U+009F,
/// which terminals obey, count as none.
std::size_t utf8_prefix_bytes(std::string_view text);

/// `text` with control characters and bytes that are no UTF-8 replaced by "?".
std::string printable_utf8(std::string_view text);

}  // namespace railgauge
