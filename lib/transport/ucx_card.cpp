// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_card.hpp"

#include <concepts>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge {
namespace {

constexpr std::uint32_t magic = 0x58554752;  // "RGUX"
constexpr std::uint32_t version = 1;
constexpr std::uint32_t most_text_bytes = 4096;
constexpr std::uint32_t most_blob_bytes = 1 << 18;

class Writer {
  public:
    template <std::unsigned_integral T>
    void number(T value) {
        for (std::size_t i = 0; i < sizeof value; ++i)
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }

    void blob(std::span<const std::byte> data) {
        number(static_cast<std::uint32_t>(data.size()));
        bytes_.insert(bytes_.end(), data.begin(), data.end());
    }

    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

class Reader {
  public:
    Reader(std::span<const std::byte> bytes, const std::string& peer)
        : bytes_(bytes), peer_(peer) {}

    template <std::unsigned_integral T>
    T number() {
        T value = 0;
        const std::span<const std::byte> from = take(sizeof value);
        for (std::size_t i = 0; i < sizeof value; ++i)
            value = static_cast<T>(value | static_cast<T>(from[i]) << (8 * i));
        return value;
    }

    std::span<const std::byte> blob(std::uint32_t most) {
        const auto size = number<std::uint32_t>();
        if (size > most) refuse(fmt::format("a field claims {} bytes", size));
        return take(size);
    }

    void require_end() const {
        if (!bytes_.empty()) refuse(fmt::format("{} bytes are left over", bytes_.size()));
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(ExitCode::library, fmt::format("what {} says of itself is wrong", peer_), why,
                    "use the same version on both sides");
    }

  private:
    std::span<const std::byte> take(std::size_t size) {
        if (size > bytes_.size()) refuse("it ends too early");
        const auto taken = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return taken;
    }

    std::span<const std::byte> bytes_;
    const std::string& peer_;
};

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
    return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::byte> encode(const UcxCard& card) {
    Writer out;
    out.number(magic);
    out.number(version);
    out.blob(std::as_bytes(std::span(card.error))
                 .first(std::min<std::size_t>(card.error.size(), most_text_bytes)));
    out.number(card.channel);
    out.number(card.queues);
    out.number(card.base);
    out.number(card.bytes);
    out.blob(card.address);
    out.blob(card.key);
    return out.take();
}

UcxCard decode_ucx_card(std::span<const std::byte> bytes, const std::string& peer) {
    Reader in(bytes, peer);
    if (in.number<std::uint32_t>() != magic) in.refuse("it is no card of the transport ucx");
    const auto their_version = in.number<std::uint32_t>();
    if (their_version != version)
        in.refuse(fmt::format("it has version {}, not {}", their_version, version));
    UcxCard card;
    for (const std::byte letter : in.blob(most_text_bytes))
        card.error.push_back(static_cast<char>(letter));
    card.channel = in.number<std::uint32_t>();
    card.queues = in.number<std::uint32_t>();
    card.base = in.number<std::uint64_t>();
    card.bytes = in.number<std::uint64_t>();
    card.address = copy_of(in.blob(most_blob_bytes));
    card.key = copy_of(in.blob(most_blob_bytes));
    in.require_end();
    if (card.bytes > std::numeric_limits<std::uint64_t>::max() - card.base)
        in.refuse("its memory ends beyond the last address");
    if (card.error.empty() && (card.address.empty() || card.key.empty()))
        in.refuse("it has no address or no key");
    return card;
}

}  // namespace railgauge
