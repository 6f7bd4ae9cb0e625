// SPDX-License-Identifier: Apache-2.0
#include "transport/payload.hpp"

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

/// The words of a payload, one after the other.
class Words {
  public:
    explicit Words(const PayloadKey& key)
        : state_(mix(mix(mix(static_cast<std::uint64_t>(key.sender) + golden) + key.message) +
                     key.round)) {}

    std::uint64_t next() { return mix(state_ += golden); }

  private:
    std::uint64_t state_;
};

void write_words(Words words, std::span<std::byte> out, std::uint64_t flip) {
    const std::size_t whole = out.size() / word_bytes * word_bytes;
    for (std::size_t offset = 0; offset < whole; offset += word_bytes) {
        const std::uint64_t word = words.next() ^ flip;
        std::memcpy(out.data() + offset, &word, word_bytes);
    }
    if (whole == out.size()) return;
    const std::uint64_t last = words.next() ^ flip;
    std::memcpy(out.data() + whole, &last, out.size() - whole);
}

std::uint64_t count_different_bytes(std::uint64_t a, std::uint64_t b) {
    std::uint64_t different = 0;
    for (std::uint64_t rest = a ^ b; rest != 0; rest >>= 8)
        different += (rest & 0xff) != 0 ? 1u : 0u;
    return different;
}

}  // namespace

void write_payload(const PayloadKey& key, std::span<std::byte> out) {
    write_words(Words(key), out, 0);
}

void write_poison(const PayloadKey& key, std::span<std::byte> out) {
    write_words(Words(key), out, ~std::uint64_t{0});
}

std::uint64_t count_wrong(const PayloadKey& key, std::span<const std::byte> data) {
    Words words(key);
    std::uint64_t wrong = 0;
    const std::size_t whole = data.size() / word_bytes * word_bytes;
    for (std::size_t offset = 0; offset < whole; offset += word_bytes) {
        std::uint64_t found = 0;
        std::memcpy(&found, data.data() + offset, word_bytes);
        const std::uint64_t word = words.next();
        if (found != word) wrong += count_different_bytes(found, word);
    }
    if (whole == data.size()) return wrong;
    const std::uint64_t last = words.next();
    std::uint64_t found = last;  // beyond the end nothing differs
    std::memcpy(&found, data.data() + whole, data.size() - whole);
    return wrong + count_different_bytes(found, last);
}

}  // namespace railgauge
