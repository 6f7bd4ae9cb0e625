// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ucp/api/ucp.h>

#include "transport/transport.hpp"

namespace railgauge {

/// Operations of a channel that UCX works on, in memory that is there beforehand. UCX reports each
/// by a callback, out of whichever channel's progress.
class UcxRequests {
  public:
    /// message: its completion is reported. quiet: a notice that follows stands for it.
    enum class Purpose : std::uint8_t { message, quiet, flush, token };

    struct Slot {
        UcxRequests* owner = nullptr;
        std::uint64_t id = 0;
        void* request = nullptr;  ///< UCX's, while it works on it
        Verb verb = Verb::send;
        Purpose purpose = Purpose::message;
        bool is_active = false;
    };

    struct Failure {
        ucs_status_t status = UCS_OK;
        Verb verb = Verb::send;
    };

    /// @param messages most that are posted and not reported
    /// @param others most quiet operations, flushes and tokens
    UcxRequests(std::size_t messages, std::size_t others);

    /// @throws std::logic_error beyond what was asked for
    Slot& take(Verb verb, Purpose purpose, std::uint64_t id);

    /// Parameters of the call that starts the slot's operation.
    static ucp_request_param_t parameters(Slot& slot, ucp_mem_h memory, ucs_memory_type_t type);

    /// What that call has returned.
    static void settle(Slot& slot, ucs_status_ptr_t result) noexcept;

    /// Messages that have finished since the last call; valid until the next.
    std::span<const Completion> take_finished() noexcept;

    /// Cancels receives; they are finished after some progress of the worker, and not reported.
    void cancel_receives(ucp_worker_h worker) noexcept;

    std::size_t in_flight() const noexcept { return in_flight_; }  ///< messages not reported
    bool is_full() const noexcept { return in_flight_ == most_messages_; }
    std::size_t active() const noexcept { return slots_.size() - free_.size(); }
    std::size_t active_receives() const noexcept { return active_receives_; }
    std::size_t finished_tokens() const noexcept { return finished_tokens_; }
    std::uint64_t last_flush() const noexcept { return last_flush_; }  ///< greatest id finished
    const Failure& failure() const noexcept { return failure_; }

  private:
    static void note_sent(void* request, ucs_status_t status, void* slot) noexcept;
    static void note_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                              void* slot) noexcept;
    void finish(Slot& slot, ucs_status_t status) noexcept;

    std::vector<Slot> slots_;
    std::vector<Slot*> free_;
    std::vector<Completion> finished_;
    std::vector<Completion> reported_;
    std::size_t most_messages_;
    std::size_t in_flight_ = 0;
    std::size_t active_receives_ = 0;
    std::size_t finished_tokens_ = 0;
    std::uint64_t last_flush_ = 0;
    Failure failure_;
};

}  // namespace railgauge
