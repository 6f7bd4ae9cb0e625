// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/fabric.hpp"
#include "verbs/card.hpp"
#include "verbs/endpoint.hpp"
#include "verbs/id_ring.hpp"
#include "verbs/port.hpp"

namespace railgauge {

/// Memory of this side as a work request names it.
struct LocalMemory {
    std::uint64_t address = 0;
    std::uint32_t key = 0;
};

/// A connected endpoint. All its queue pairs share one completion queue; a completion's wr_id says
/// of which message it is: verb, queue, place in the queue's ring of ids.
class VerbsChannel : public Channel {
  public:
    VerbsChannel(std::unique_ptr<Peer> peer, const Port& port, Endpoint endpoint,
                 const LocalMemory& memory, const Card& theirs,
                 const ChannelParameters& parameters);
    ~VerbsChannel() override;

    void post(const Message& message) override;
    std::span<const Completion> poll() override;
    void close() override;

  private:
    static constexpr int most_at_once = 32;

    struct Queue {
        ibv_qp* pair;
        IdRing sends;
        IdRing receives;
    };

    void post_receive(Queue& queue, const Message& message);
    void fill(const Message& message, Queue& queue);
    void take(const ibv_wc& work, std::int64_t now_ns);
    std::size_t sends_in_flight() const noexcept;
    [[noreturn]] void fail_post(int error, const Message& message) const;
    [[noreturn]] void fail(const ibv_wc& first);

    std::unique_ptr<Peer> peer_;
    const Port& port_;
    Endpoint endpoint_;
    ibv_cq* completion_queue_;
    std::uint64_t local_address_;
    std::uint64_t remote_address_;
    std::uint32_t inline_bytes_;
    ibv_sge place_{};     ///< of every message, filled anew
    ibv_send_wr work_{};  ///< as place_
    std::vector<Queue> queues_;
    std::uint32_t empty_polls_ = 0;
    std::size_t finished_ = 0;
    std::vector<Completion> completions_;
    std::array<ibv_wc, most_at_once> found_{};
};

}  // namespace railgauge
