// SPDX-License-Identifier: Apache-2.0
// UCX as a fabric: one worker, an endpoint to each peer.
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "transport/fabric.hpp"
#include "transport/ucx_agree.hpp"
#include "transport/ucx_channel.hpp"
#include "transport/ucx_settings.hpp"
#include "ucx/library.hpp"

namespace railgauge {
namespace {

constexpr Capabilities ucx_capabilities{
    .one_sided = true,
    .most_bytes = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()),
    .most_queues = most_ucx_queues,
    .most_signal_interval = 1,
    .receives_ahead = true};

ucs_memory_type_t type_of(const MemorySpace& space) {
    return space.name() == "cuda" ? UCS_MEMORY_TYPE_CUDA : UCS_MEMORY_TYPE_HOST;
}

void require_reach(ucp_context_h context, std::string_view memory) {
    if (memory != "cuda" || reaches_gpu(context)) return;
    throw Error(ExitCode::usage, "this UCX cannot use memory 'cuda'", "it was built without CUDA",
                "use --memory host or pinned, or a UCX built with CUDA");
}

UcxCard parse_card(const Peer& peer, const std::vector<std::byte>& bytes, const UcxCard& own) {
    UcxCard card = decode_ucx_card(bytes, peer.name());
    if (card.error.empty() && card.queues != own.queues) {
        throw Error(ExitCode::library, fmt::format("{} cannot connect by UCX", peer.name()),
                    fmt::format("it has {} queues, not {}", card.queues, own.queues),
                    "use the same options on both sides");
    }
    if (card.error.empty()) return card;
    throw Error(ExitCode::library, fmt::format("{} cannot connect by UCX", peer.name()), card.error,
                "mend it there");
}

class UcxFabric : public Fabric {
  public:
    explicit UcxFabric(const FabricOptions& options)
        : library_(open_ucx(ucx_settings(options, "/sys"))) {}

    std::string_view name() const override { return "ucx"; }
    Capabilities capabilities() const override { return ucx_capabilities; }

    std::unique_ptr<RegisteredMemory> allocate(MemorySpace& space, std::size_t size) override {
        require_reach(library_.context.get(), space.name());
        return std::make_unique<UcxMemory>(space.allocate(size), library_.context.get(),
                                           type_of(space));
    }

    std::unique_ptr<Channel> connect(std::unique_ptr<Peer> peer, RegisteredMemory& memory,
                                     const ChannelParameters& parameters) override {
        require_capable(name(), capabilities(), parameters);
        const std::shared_ptr<Peer> shared = std::move(peer);
        auto& mapped = dynamic_cast<UcxMemory&>(memory);
        const UcxCard own = make_card(mapped, parameters);
        const std::vector<std::byte> answer = shared->swap(encode(own));
        auto channel = together(*shared, [&] {
            if (!own.error.empty()) throw Error(ExitCode::library, own.error);
            const UcxCard theirs = parse_card(*shared, answer, own);
            return std::make_unique<UcxChannel>(library_.worker.get(), shared, mapped, own, theirs,
                                                parameters);
        });
        together(*shared, [&] {
            channel->open();
            return 0;
        });
        return channel;
    }

  private:
    /// When it fails the card says why: the peer waits for one.
    UcxCard make_card(const UcxMemory& memory, const ChannelParameters& parameters) {
        try {
            return {.error = {},
                    .channel = next_channel_++,
                    .queues = static_cast<std::uint32_t>(parameters.queues),
                    .base = reinterpret_cast<std::uintptr_t>(memory.data()),
                    .bytes = memory.size(),
                    .address = address_of(library_.worker.get()),
                    .key = remote_key_of(library_.context.get(), memory.handle())};
        } catch (const Error& error) {
            return {.error = error.what()};
        }
    }

    UcxLibrary library_;
    std::uint32_t next_channel_ = 0;
};

}  // namespace

void require_ucx_transport(std::string_view memory) {
    if (memory == "cuda") require_reach(open_ucx({}).context.get(), memory);
}

std::unique_ptr<Fabric> make_ucx_fabric(const FabricOptions& options) {
    return std::make_unique<UcxFabric>(options);
}

}  // namespace railgauge
