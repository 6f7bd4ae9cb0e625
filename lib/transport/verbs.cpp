// SPDX-License-Identifier: Apache-2.0
// RDMA verbs: a port, memory registered with it, and connections whose cards are swapped.
#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "transport/fabric.hpp"
#include "transport/verbs_channel.hpp"
#include "verbs/choose_port.hpp"
#include "verbs/mtu.hpp"
#include "verbs/region.hpp"

namespace railgauge {
namespace {

// 32 for data, one to tell the peer things.
constexpr int most_queues = 33;
constexpr int most_signal_interval = 1024;

template <class Number>
std::optional<Number> given(int option) {
    if (option < 0) return std::nullopt;
    return static_cast<Number>(option);
}

PathOptions path_options(const FabricOptions& options) {
    PathOptions path;
    path.gid.kind = gid_kind_named(options.gid_kind);
    path.gid.index = given<unsigned>(options.gid_index);
    path.traffic_class = given<std::uint8_t>(options.traffic_class).value_or(0);
    path.service_level = given<std::uint8_t>(options.service_level).value_or(0);
    path.pkey_index = static_cast<std::uint16_t>(options.pkey_index);
    path.mtu_bytes = given<std::uint32_t>(options.path_mtu);
    path.inline_bytes = given<std::uint32_t>(options.inline_bytes);
    path.retries = static_cast<std::uint8_t>(options.retries);
    path.timeout_exponent = static_cast<std::uint8_t>(options.timeout_exponent);
    return path;
}

class VerbsMemory : public RegisteredMemory {
  public:
    VerbsMemory(Buffer buffer, Region region, bool is_host_addressable)
        : RegisteredMemory(std::move(buffer)),
          region_(std::move(region)),
          is_host_addressable_(is_host_addressable) {}

    std::string_view way() const override { return region_.way; }
    bool is_host_addressable() const { return is_host_addressable_; }

    LocalMemory local() const {
        return {reinterpret_cast<std::uintptr_t>(data()), region_.handle->lkey};
    }

    void describe(Card& card) const {
        card.key = region_.handle->rkey;
        card.address = reinterpret_cast<std::uintptr_t>(data());
        card.bytes = size();
    }

  private:
    Region region_;
    bool is_host_addressable_;
};

std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// What `step` throws, for the peer to be told before it is thrown on.
template <class Step>
std::exception_ptr attempt(Step step, std::string& text) {
    try {
        step();
        return nullptr;
    } catch (const std::exception& error) {
        text = error.what();
        return std::current_exception();
    }
}

/// Tells the peer whether this side is ready, and throws when either is not. An empty text is yes.
void swap_readiness(Peer& peer, const std::exception_ptr& failure, const std::string& text) {
    const std::span<const std::byte> mine = std::as_bytes(std::span(text));
    const std::vector<std::byte> theirs =
        peer.swap(mine.first(std::min(mine.size(), most_swapped_bytes)));
    if (failure) std::rethrow_exception(failure);
    if (theirs.empty()) return;
    constexpr std::size_t most_shown = 4096;
    std::string reason(reinterpret_cast<const char*>(theirs.data()), theirs.size());
    throw Error(ExitCode::library, fmt::format("{} cannot be connected", peer.name()),
                fmt::format("it says: {}", printable_utf8(whole_characters(reason, most_shown))),
                "see to that side first");
}

class VerbsFabric : public Fabric {
  public:
    explicit VerbsFabric(const FabricOptions& options)
        : port_(open_port(choose_port(list_ports(), port_wish(options.device)),
                          path_options(options))) {}

    std::string_view name() const override { return "verbs"; }

    Capabilities capabilities() const override {
        return {true, port_.state.max_msg_sz, most_queues, most_signal_interval, true};
    }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        Buffer buffer = space.allocate(size);
        Region region = register_memory(port_, space, buffer);
        return std::make_unique<VerbsMemory>(std::move(buffer), std::move(region),
                                             space.is_host_addressable());
    }

    std::unique_ptr<Channel> connect(std::unique_ptr<Peer> peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        const auto& registered = dynamic_cast<const VerbsMemory&>(memory);
        Endpoint endpoint;
        Card mine;
        mine.host = host_name();
        mine.port = port_.name;
        const std::exception_ptr cannot = attempt(
            [&] {
                endpoint = make_endpoint(
                    port_, {parameters.queues, parameters.send_depth, parameters.receive_depth,
                            registered.is_host_addressable()});
                railgauge::describe(port_, endpoint, mine);
                registered.describe(mine);
            },
            mine.error);
        const std::vector<std::byte> bytes = peer->swap(encode(mine));
        if (cannot) std::rethrow_exception(cannot);
        const Card theirs = open(endpoint, mine, bytes, *peer);
        return std::make_unique<VerbsChannel>(std::move(peer), port_, std::move(endpoint),
                                              registered.local(), theirs, parameters);
    }

  private:
    /// Connects the endpoint to the peer of that card, if both sides can.
    Card open(Endpoint& endpoint, const Card& mine, std::span<const std::byte> bytes, Peer& peer) {
        Card theirs;
        std::string why_not;
        const std::exception_ptr failure = attempt(
            [&] {
                theirs = decode_card(bytes, peer.name());
                require_matching(mine, theirs, peer.name());
                railgauge::connect(endpoint, port_, mine, theirs, peer.name());
            },
            why_not);
        // A peer that has refused waits for nothing more.
        if (!theirs.error.empty()) std::rethrow_exception(failure);
        swap_readiness(peer, failure, why_not);
        mention_mtus(mine, theirs);
        return theirs;
    }

    /// Once: it concerns the network, and there may be thousands of connections.
    void mention_mtus(const Card& mine, const Card& theirs) {
        if (mine.mtu_bytes == theirs.mtu_bytes || has_mentioned_mtus_) return;
        has_mentioned_mtus_ = true;
        log_here("path MTUs differ: {} has {} and {} of {} has {}; the least is used", mine.port,
                 mine.mtu_bytes, theirs.port, theirs.host, theirs.mtu_bytes);
    }

    Port port_;
    bool has_mentioned_mtus_ = false;
};

}  // namespace

void require_verbs_transport(std::string_view /*memory*/) {}

std::unique_ptr<Fabric> make_verbs_fabric(const FabricOptions& options) {
    return std::make_unique<VerbsFabric>(options);
}

}  // namespace railgauge
