// SPDX-License-Identifier: Apache-2.0
#include "transport/mac.hpp"

#include <cstdint>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

unsigned char* raw(std::byte* bytes) {
    return reinterpret_cast<unsigned char*>(bytes);
}

void append(ByteView part, std::vector<std::byte>& message) {
    const std::uint64_t size = part.size();
    for (unsigned shift = 0; shift < 64; shift += 8)
        message.push_back(static_cast<std::byte>(size >> shift));
    message.insert(message.end(), part.begin(), part.end());
}

}  // namespace

Digest hmac_sha256(ByteView key, std::initializer_list<ByteView> parts) {
    std::vector<std::byte> message;
    for (const ByteView part : parts)
        append(part, message);
    Digest code{};
    unsigned size = 0;
    const auto* const done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                  raw(message.data()), message.size(), raw(code.data()), &size);
    if (done != nullptr && size == code.size()) return code;
    throw Error(ExitCode::library, "HMAC-SHA256 cannot be computed", "OpenSSL refuses it",
                "see OpenSSL's configuration");
}

bool is_same(ByteView a, ByteView b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Digest random_digest() {
    Digest bytes{};
    if (RAND_bytes(raw(bytes.data()), static_cast<int>(bytes.size())) == 1) return bytes;
    throw Error(ExitCode::library, "no random bytes can be had", "OpenSSL has none",
                "see the system's source of randomness");
}

void wipe(std::span<std::byte> secret) noexcept {
    OPENSSL_cleanse(secret.data(), secret.size());
}

}  // namespace railgauge
