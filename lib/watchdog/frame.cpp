// SPDX-License-Identifier: Apache-2.0
#include "watchdog/frame.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <sys/socket.h>

#include "base/utf8.hpp"

namespace railgauge::board {
namespace {

constexpr std::uint32_t magic = 0x31424752;  // "RGB1"
constexpr std::size_t host_bytes = 64;

// Offsets of the fields; numbers are little-endian.
constexpr std::size_t at_magic = 0;
constexpr std::size_t at_type = 4;
constexpr std::size_t at_phase = 5;
constexpr std::size_t at_library_error = 6;
constexpr std::size_t at_rank = 8;
constexpr std::size_t at_case = 12;
constexpr std::size_t at_sequence = 16;
constexpr std::size_t at_pulse = 24;
constexpr std::size_t at_idle = 32;
constexpr std::size_t at_cpu = 36;
constexpr std::size_t at_token = 40;
constexpr std::size_t at_host = 56;
static_assert(at_host + host_bytes <= frame_bytes);

template <class Number>
void put(FrameBytes& bytes, std::size_t offset, Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
        bytes[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

template <class Number>
Number get(std::span<const std::uint8_t, frame_bytes> bytes, std::size_t offset) {
    Number value = 0;
    for (std::size_t i = sizeof(Number); i-- > 0;) {
        value = static_cast<Number>(value << 8 | bytes[offset + i]);
    }
    return value;
}

std::uint32_t bounded_ms(milliseconds time) {
    constexpr milliseconds most{std::numeric_limits<std::uint32_t>::max()};
    return static_cast<std::uint32_t>(std::clamp(time, milliseconds{0}, most).count());
}

std::string host_text(std::span<const std::uint8_t, frame_bytes> bytes) {
    const auto field = bytes.subspan(at_host, host_bytes);
    const auto end = std::find(field.begin(), field.end(), std::uint8_t{0});
    return printable_utf8(std::string(field.begin(), end));
}

bool is_passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

FrameBytes encode(const Frame& frame) {
    FrameBytes bytes{};
    put(bytes, at_magic, magic);
    put(bytes, at_type, static_cast<std::uint8_t>(frame.type));
    put(bytes, at_phase, static_cast<std::uint8_t>(frame.at.phase));
    put(bytes, at_library_error, frame.library_error);
    put(bytes, at_rank, static_cast<std::uint32_t>(frame.rank));
    put(bytes, at_case, static_cast<std::uint32_t>(frame.at.case_id));
    put(bytes, at_sequence, frame.at.sequence);
    put(bytes, at_pulse, frame.pulse);
    put(bytes, at_idle, bounded_ms(frame.idle));
    put(bytes, at_cpu, frame.cpu_ms);
    std::copy(frame.token.begin(), frame.token.end(), bytes.begin() + at_token);
    const std::string host = whole_characters(frame.host, host_bytes);
    std::copy(host.begin(), host.end(), bytes.begin() + at_host);
    return bytes;
}

std::optional<Frame> decode(std::span<const std::uint8_t, frame_bytes> bytes) {
    const auto type = get<std::uint8_t>(bytes, at_type);
    const auto phase = get<std::uint8_t>(bytes, at_phase);
    const auto rank = static_cast<std::int32_t>(get<std::uint32_t>(bytes, at_rank));
    const auto case_id = static_cast<std::int32_t>(get<std::uint32_t>(bytes, at_case));
    const bool valid = get<std::uint32_t>(bytes, at_magic) == magic &&
                       type >= static_cast<std::uint8_t>(FrameType::hello) &&
                       type <= static_cast<std::uint8_t>(FrameType::expired) &&
                       phase <= static_cast<std::uint8_t>(Phase::finalize) && rank >= 0 &&
                       rank < most_ranks && case_id >= -1;
    if (!valid) return std::nullopt;
    Frame frame;
    frame.type = static_cast<FrameType>(type);
    frame.rank = rank;
    frame.at = {static_cast<Phase>(phase), case_id, get<std::uint64_t>(bytes, at_sequence)};
    frame.pulse = get<std::uint64_t>(bytes, at_pulse);
    frame.idle = milliseconds{get<std::uint32_t>(bytes, at_idle)};
    frame.cpu_ms = get<std::uint32_t>(bytes, at_cpu);
    frame.library_error = get<std::uint8_t>(bytes, at_library_error);
    std::copy_n(bytes.begin() + at_token, frame.token.size(), frame.token.begin());
    frame.host = host_text(bytes);
    return frame;
}

std::optional<Frame> Channel::receive() {
    while (is_open() && received_ < frame_bytes) {
        const ssize_t got = ::recv(socket_.get(), incoming_.data() + received_,
                                   frame_bytes - received_, MSG_DONTWAIT);
        if (got < 0 && is_passing(errno)) return std::nullopt;
        if (got <= 0) {
            close();
            return std::nullopt;
        }
        received_ += static_cast<std::size_t>(got);
    }
    if (!is_open()) return std::nullopt;
    received_ = 0;
    std::optional<Frame> frame = decode(incoming_);
    if (!frame) close();
    return frame;
}

void Channel::send(const Frame& frame) {
    flush();
    if (frame.type == FrameType::beat && !outgoing_.empty()) return;
    const FrameBytes bytes = encode(frame);
    outgoing_.insert(outgoing_.end(), bytes.begin(), bytes.end());
    flush();
    // A beat of which nothing went out is as good as not sent; the next one says more.
    if (frame.type == FrameType::beat && outgoing_.size() == frame_bytes) outgoing_.clear();
}

void Channel::flush() {
    if (outgoing_.empty()) return;
    const auto sent = static_cast<std::ptrdiff_t>(write(outgoing_));
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + sent);
}

/// A broken connection is left for receive() to find, after what the peer sent before it broke.
std::size_t Channel::write(std::span<const std::uint8_t> bytes) {
    if (!is_open()) return 0;
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

}  // namespace railgauge::board
