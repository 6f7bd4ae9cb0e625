// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_requests.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "measure/clock.hpp"

namespace railgauge {

UcxRequests::UcxRequests(std::size_t messages, std::size_t others)
    : slots_(messages + others), most_messages_(messages) {
    free_.reserve(slots_.size());
    for (Slot& slot : slots_) {
        slot.owner = this;
        free_.push_back(&slot);
    }
    finished_.reserve(messages);
    reported_.reserve(messages);
}

UcxRequests::Slot& UcxRequests::take(Verb verb, Purpose purpose, std::uint64_t id) {
    const bool is_message = purpose == Purpose::message;
    if (free_.empty() || (is_message && in_flight_ == most_messages_))
        throw std::logic_error("a channel's depth is exceeded");
    Slot& slot = *free_.back();
    free_.pop_back();
    slot.id = id;
    slot.request = nullptr;
    slot.verb = verb;
    slot.purpose = purpose;
    slot.is_active = true;
    if (is_message) ++in_flight_;
    if (verb == Verb::receive) ++active_receives_;
    return slot;
}

ucp_request_param_t UcxRequests::parameters(Slot& slot, ucp_mem_h memory, ucs_memory_type_t type) {
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    param.user_data = &slot;
    param.memory_type = type;
    if (slot.verb == Verb::receive) {
        param.cb.recv = &UcxRequests::note_received;
    } else {
        param.cb.send = &UcxRequests::note_sent;
    }
    if (memory == nullptr) return param;
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_MEMH;
    param.memh = memory;
    return param;
}

void UcxRequests::settle(Slot& slot, ucs_status_ptr_t result) noexcept {
    if (UCS_PTR_IS_PTR(result)) {
        slot.request = result;
    } else {  // done at once, or refused: there is no callback
        slot.owner->finish(slot, UCS_PTR_STATUS(result));
    }
}

std::span<const Completion> UcxRequests::take_finished() noexcept {
    if (finished_.empty()) return {};
    std::swap(finished_, reported_);
    finished_.clear();
    in_flight_ -= reported_.size();
    return reported_;
}

void UcxRequests::cancel_receives(ucp_worker_h worker) noexcept {
    for (const Slot& slot : slots_) {
        if (slot.is_active && slot.verb == Verb::receive && slot.request != nullptr)
            ucp_request_cancel(worker, slot.request);
    }
}

void UcxRequests::note_sent(void* request, ucs_status_t status, void* slot) noexcept {
    auto& done = *static_cast<Slot*>(slot);
    done.owner->finish(done, status);
    ucp_request_free(request);
}

void UcxRequests::note_received(void* request, ucs_status_t status,
                                const ucp_tag_recv_info_t* /*info*/, void* slot) noexcept {
    note_sent(request, status, slot);
}

void UcxRequests::finish(Slot& slot, ucs_status_t status) noexcept {
    slot.is_active = false;
    if (slot.verb == Verb::receive) --active_receives_;
    if (status == UCS_OK) {
        switch (slot.purpose) {
            case Purpose::message: finished_.push_back({slot.id, monotonic_now_ns()}); break;
            case Purpose::flush: last_flush_ = std::max(last_flush_, slot.id); break;
            case Purpose::token: ++finished_tokens_; break;
            case Purpose::quiet: break;
        }
    } else {
        if (slot.purpose == Purpose::message) --in_flight_;
        if (status != UCS_ERR_CANCELED && failure_.status == UCS_OK) failure_ = {status, slot.verb};
    }
    free_.push_back(&slot);
}

}  // namespace railgauge
