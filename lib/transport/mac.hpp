// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace railgauge {

/// A code, key or nonce of 32 bytes.
using Digest = std::array<std::byte, 32>;
using ByteView = std::span<const std::byte>;

inline ByteView bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// HMAC-SHA256 (RFC 2104, FIPS 180-4) of `parts`, each with its length before it, so that no two
/// lists of parts are the same text. @throws Error(library)
Digest hmac_sha256(ByteView key, std::initializer_list<ByteView> parts);

/// In a time that does not depend on where they differ.
bool is_same(ByteView a, ByteView b);

/// Unpredictable bytes. @throws Error(library)
Digest random_digest();

/// Overwrites a secret.
void wipe(std::span<std::byte> secret) noexcept;

}  // namespace railgauge
