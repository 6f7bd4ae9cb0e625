// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/fabric.hpp"
#include "transport/ucx_card.hpp"
#include "transport/ucx_requests.hpp"
#include "ucx/endpoint.hpp"
#include "ucx/handles.hpp"

namespace railgauge {

inline constexpr int most_ucx_queues = 33;

/// Memory that the channels of a worker use.
class UcxMemory : public RegisteredMemory {
  public:
    UcxMemory(Buffer buffer, ucp_context_h context, ucs_memory_type_t type);
    ucp_mem_h handle() const noexcept { return handle_.get(); }
    ucs_memory_type_t type() const noexcept { return type_; }

  private:
    ucs_memory_type_t type_;
    UcxMemoryHandle handle_;
};

/// Tagged messages and remote memory of one peer; a tag is the receiver's number of the channel
/// and the queue, so that channels of one worker never mix.
///
/// Where UCX has no remote memory of the NIC's (tcp, some shared memory) the peer's progress does
/// what is written or read there: a rank must poll() its channels although nothing of its own is in
/// flight. UCX orders nothing between a write and a message, so that a message which follows writes
/// of its queue waits, in poll(), for a flush of the endpoint.
class UcxChannel : public Channel {
  public:
    /// @param own what this side has told the peer; of its blobs nothing is used
    /// @throws Error(library) when UCX cannot reach the peer with what it has told
    UcxChannel(ucp_worker_h worker, std::shared_ptr<Peer> peer, UcxMemory& memory,
               const UcxCard& own, const UcxCard& theirs, const ChannelParameters& parameters);
    ~UcxChannel() override;

    /// Waits until messages flow in both directions. Called by both sides.
    void open();

    void post(const Message& message) override;
    std::span<const Completion> poll() override;
    void close() override;
    std::string path() const override { return endpoint_->path(); }

  private:
    /// A message that waits for a flush.
    struct Deferred {
        UcxRequests::Slot* slot;
        std::size_t offset;
        std::size_t bytes;
        int queue;
        std::uint64_t flush;
    };

    void write(const Message& message);
    void read(const Message& message);
    void receive(const Message& message);
    void send(const Message& message);
    void start_send(UcxRequests::Slot& slot, std::size_t offset, std::size_t bytes, int queue);
    void send_deferred();
    void start_flush();
    std::uint64_t remote(const Message& message) const;
    void meet(int queue, std::int64_t limit_ns, const char* doing);
    void wait(std::int64_t limit_ns, const char* doing, auto is_done);
    void cancel_receives();
    bool has_failed() const noexcept {
        return requests_->failure().status != UCS_OK || endpoint_->state() != UCS_OK;
    }
    [[noreturn]] void fail() const;

    ucp_worker_h worker_;
    std::shared_ptr<Peer> peer_;
    UcxMemory& memory_;
    std::uint32_t own_channel_;
    std::uint32_t their_channel_;
    std::uint64_t remote_base_;
    std::uint64_t remote_bytes_;
    std::unique_ptr<UcxRequests> requests_;
    std::unique_ptr<UcxEndpoint> endpoint_;
    UcxRemoteKey key_;

    std::uint64_t flushes_ = 0;                ///< started
    std::vector<std::uint64_t> queue_flush_;   ///< the flush that the queue's writes need
    std::vector<std::size_t> queue_deferred_;  ///< of each queue
    std::vector<Deferred> deferred_;           ///< a ring
    std::size_t first_deferred_ = 0;
    std::size_t deferred_count_ = 0;
};

}  // namespace railgauge
