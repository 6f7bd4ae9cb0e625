// SPDX-License-Identifier: Apache-2.0
#include "verbs/card.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "verbs/card_bytes.hpp"
#include "verbs/gid.hpp"
#include "verbs/mtu.hpp"

namespace railgauge {
namespace {

constexpr std::uint32_t magic = 0x42564752;  // "RGVB"
constexpr std::uint32_t version = 1;
constexpr std::size_t most_text_bytes = 4096;
constexpr std::size_t most_queues = 1024;
constexpr std::uint32_t most_24_bits = 0xff'ffff;

void require(bool holds, const char* what) {
    if (!holds) throw std::out_of_range(what);
}

void read_header(CardReader& reader) {
    require(reader.number<std::uint32_t>() == magic, "it does not begin as one");
    const auto found = reader.number<std::uint32_t>();
    if (found == version) return;
    throw std::out_of_range(fmt::format("it is of version {}, and this is {}", found, version));
}

void write_end(CardWriter& writer, const PathEnd& end) {
    writer.number(static_cast<std::uint8_t>(end.link_layer));
    writer.number(end.lid);
    writer.raw(end.gid.raw);
    writer.number(static_cast<std::uint8_t>(end.needs_global_header));
}

PathEnd read_end(CardReader& reader) {
    PathEnd end;
    const auto layer = reader.number<std::uint8_t>();
    require(layer == static_cast<std::uint8_t>(LinkLayer::infiniband) ||
                layer == static_cast<std::uint8_t>(LinkLayer::ethernet),
            "its link layer is unknown");
    end.link_layer = static_cast<LinkLayer>(layer);
    end.lid = reader.number<std::uint16_t>();
    reader.raw(end.gid.raw);
    end.needs_global_header = reader.number<std::uint8_t>() != 0;
    return end;
}

std::vector<QueueEnd> read_queues(CardReader& reader) {
    const auto count = reader.number<std::uint32_t>();
    require(count <= most_queues, "it has too many queues");
    std::vector<QueueEnd> queues(count);
    for (QueueEnd& queue : queues) {
        queue.number = reader.number<std::uint32_t>();
        queue.first_packet = reader.number<std::uint32_t>();
        require(queue.number <= most_24_bits && queue.first_packet <= most_24_bits,
                "a queue pair's numbers exceed 24 bits");
    }
    return queues;
}

Card read_card(CardReader& reader) {
    Card card;
    read_header(reader);
    card.error = reader.text(most_text_bytes);
    card.host = reader.text(most_text_bytes);
    card.port = reader.text(most_text_bytes);
    card.end = read_end(reader);
    card.mtu_bytes = reader.number<std::uint32_t>();
    card.most_reads_out = reader.number<std::uint8_t>();
    card.most_reads_in = reader.number<std::uint8_t>();
    card.key = reader.number<std::uint32_t>();
    card.address = reader.number<std::uint64_t>();
    card.bytes = reader.number<std::uint64_t>();
    card.queues = read_queues(reader);
    require(reader.is_at_end(), "something follows its end");
    require(!card.error.empty() || mtu_of_bytes(card.mtu_bytes), "its MTU is none");
    require(card.address + card.bytes >= card.address, "its memory wraps around");
    return card;
}

std::string_view name_of(LinkLayer layer) {
    return layer == LinkLayer::ethernet ? "Ethernet (RoCE)" : "InfiniBand";
}

[[noreturn]] void refuse(std::string_view peer, const std::string& why, const char* remedy) {
    throw Error(ExitCode::library, fmt::format("{} cannot be connected", peer), why, remedy);
}

void require_one_kind(const Card& mine, const Card& theirs, std::string_view peer) {
    const GidKind here = kind_of(mine.end.gid);
    const GidKind there = kind_of(theirs.end.gid);
    if (here == there) return;
    refuse(peer,
           fmt::format("{} has the {} GID {}, and {} of this side the {} GID {}", theirs.port,
                       name_of(there), format_gid(theirs.end.gid), mine.port, name_of(here),
                       format_gid(mine.end.gid)),
           "choose what both have with --gid-kind");
}

}  // namespace

std::vector<std::byte> encode(const Card& card) {
    CardWriter writer;
    writer.number(magic);
    writer.number(version);
    writer.text(whole_characters(card.error, most_text_bytes));
    writer.text(whole_characters(card.host, most_text_bytes));
    writer.text(whole_characters(card.port, most_text_bytes));
    write_end(writer, card.end);
    writer.number(card.mtu_bytes);
    writer.number(card.most_reads_out);
    writer.number(card.most_reads_in);
    writer.number(card.key);
    writer.number(card.address);
    writer.number(card.bytes);
    writer.number(static_cast<std::uint32_t>(card.queues.size()));
    for (const QueueEnd& queue : card.queues) {
        writer.number(queue.number);
        writer.number(queue.first_packet);
    }
    return std::move(writer).finish();
}

Card decode_card(std::span<const std::byte> bytes, std::string_view peer) {
    CardReader reader(bytes);
    try {
        return read_card(reader);
    } catch (const std::out_of_range& error) {
        refuse(peer, fmt::format("what it says of itself cannot be read: {}", error.what()),
               "start the same build on all nodes");
    }
}

void require_matching(const Card& mine, const Card& theirs, std::string_view peer) {
    if (!theirs.error.empty())
        refuse(peer, fmt::format("it says: {}", theirs.error), "see to that side first");
    if (mine.end.link_layer != theirs.end.link_layer)
        refuse(peer,
               fmt::format("{} of {} is on {}, and {} of this side on {}", theirs.port, theirs.host,
                           name_of(theirs.end.link_layer), mine.port, name_of(mine.end.link_layer)),
               "choose ports of one network with --device");
    if (mine.end.link_layer == LinkLayer::ethernet) require_one_kind(mine, theirs, peer);
    if (mine.queues.size() != theirs.queues.size())
        refuse(peer,
               fmt::format("it has {} queue pairs, and this side {}", theirs.queues.size(),
                           mine.queues.size()),
               "give all ranks the same options");
}

}  // namespace railgauge
