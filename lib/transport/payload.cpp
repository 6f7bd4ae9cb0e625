// SPDX-License-Identifier: Apache-2.0
#include "transport/payload.hpp"

#include <algorithm>
#include <cstring>

namespace railgauge {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

std::uint64_t seed(const PayloadKey& key) {
    const auto sender = static_cast<std::uint64_t>(key.sender);
    return mix(mix(mix(sender + golden) + key.message) + key.round);
}

/// Calls use(offset, word, bytes) for every word of `size` bytes; the last may be a part of one.
template <class Use>
void for_each_word(const PayloadKey& key, std::size_t size, Use use) {
    std::uint64_t state = seed(key);
    for (std::size_t offset = 0; offset < size; offset += word_bytes) {
        state += golden;
        use(offset, mix(state), std::min(word_bytes, size - offset));
    }
}

void write_words(const PayloadKey& key, std::span<std::byte> out, std::uint64_t flip) {
    for_each_word(key, out.size(), [&](std::size_t offset, std::uint64_t word, std::size_t bytes) {
        const std::uint64_t value = word ^ flip;
        std::memcpy(out.data() + offset, &value, bytes);
    });
}

std::uint64_t count_different_bytes(std::uint64_t a, std::uint64_t b) {
    std::uint64_t different = 0;
    for (std::uint64_t rest = a ^ b; rest != 0; rest >>= 8)
        different += (rest & 0xff) != 0 ? 1u : 0u;
    return different;
}

}  // namespace

void write_payload(const PayloadKey& key, std::span<std::byte> out) {
    write_words(key, out, 0);
}

void write_poison(const PayloadKey& key, std::span<std::byte> out) {
    write_words(key, out, ~std::uint64_t{0});
}

std::uint64_t count_wrong(const PayloadKey& key, std::span<const std::byte> data) {
    std::uint64_t wrong = 0;
    for_each_word(key, data.size(), [&](std::size_t offset, std::uint64_t word, std::size_t bytes) {
        std::uint64_t found = word;  // beyond `bytes` nothing differs
        std::memcpy(&found, data.data() + offset, bytes);
        if (found != word) wrong += count_different_bytes(found, word);
    });
    return wrong;
}

}  // namespace railgauge
