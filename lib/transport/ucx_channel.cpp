// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx_channel.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "transport/ucx_agree.hpp"
#include "ucx/check.hpp"
#include "ucx/library.hpp"
#include "ucx/progress.hpp"

namespace railgauge {
namespace {

using Purpose = UcxRequests::Purpose;
using Slot = UcxRequests::Slot;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t step_limit_ns = 10 * second_ns;
/// The peer may still be measuring when this side closes.
constexpr std::int64_t goodbye_limit_ns = 60 * second_ns;
constexpr std::int64_t giving_up_ns = second_ns;

/// Queues of the channel's own.
constexpr int hello_queue = 0xfff0;
constexpr int ready_queue = 0xfff1;
constexpr int goodbye_queue = 0xfff2;
constexpr ucp_tag_t whole_tag = ~ucp_tag_t{0};

ucp_tag_t tag_of(std::uint32_t channel, int queue) {
    return ucp_tag_t{channel} << 32 | static_cast<ucp_tag_t>(queue);
}

std::size_t messages_of(const ChannelParameters& parameters) {
    return static_cast<std::size_t>(parameters.queues) *
           (static_cast<std::size_t>(parameters.send_depth) +
            static_cast<std::size_t>(parameters.receive_depth));
}

const char* words_of(Verb verb) {
    switch (verb) {
        case Verb::send: return "a send to";
        case Verb::receive: return "a receive from";
        case Verb::write: return "a write to";
        case Verb::read: return "a read from";
    }
    return "a message to";
}

}  // namespace

UcxMemory::UcxMemory(Buffer buffer, ucp_context_h context, ucs_memory_type_t type)
    : RegisteredMemory(std::move(buffer)),
      type_(type),
      handle_(map_memory(context, data(), std::max<std::size_t>(1, size()), type)) {}

UcxChannel::UcxChannel(ucp_worker_h worker, std::shared_ptr<Peer> peer, UcxMemory& memory,
                       const UcxCard& own, const UcxCard& theirs,
                       const ChannelParameters& parameters)
    : worker_(worker),
      peer_(std::move(peer)),
      memory_(memory),
      own_channel_(own.channel),
      their_channel_(theirs.channel),
      remote_base_(theirs.base),
      remote_bytes_(theirs.bytes),
      queue_flush_(static_cast<std::size_t>(parameters.queues), 0),
      queue_deferred_(static_cast<std::size_t>(parameters.queues), 0),
      deferred_(messages_of(parameters)) {
    constexpr std::size_t of_meeting = 3;
    requests_ = std::make_unique<UcxRequests>(deferred_.size(), 2 * deferred_.size() + of_meeting);
    endpoint_ = std::make_unique<UcxEndpoint>(worker_, theirs.address);
    ucp_rkey_h key = nullptr;
    check_ucx(ucp_ep_rkey_unpack(endpoint_->get(), theirs.key.data(), &key),
              "reading the peer's key to its memory");
    key_.reset(key);
}

UcxChannel::~UcxChannel() {
    if (!endpoint_) return;
    if (requests_->active() > 0)
        log_here("a channel to {} was left with {} operations in flight", peer_->name(),
                 requests_->active());
    requests_->cancel_receives(worker_);
    key_.reset();
    endpoint_.reset();
    const auto is_idle = [this] { return requests_->active() == deferred_count_; };
    if (progress_until(worker_, giving_up_ns, is_idle)) return;
    static_cast<void>(requests_.release());  // UCX may still call back
}

void UcxChannel::post(const Message& message) {
    if (has_failed()) [[unlikely]]
        fail();
    switch (message.verb) {
        case Verb::send: return send(message);
        case Verb::receive: return receive(message);
        case Verb::write: return write(message);
        case Verb::read: return read(message);
    }
}

std::span<const Completion> UcxChannel::poll() {
    ucp_worker_progress(worker_);
    if (deferred_count_ > 0) send_deferred();
    if (has_failed()) [[unlikely]]
        fail();
    return requests_->take_finished();
}

std::uint64_t UcxChannel::remote(const Message& message) const {
    if (message.bytes > remote_bytes_ || message.remote_offset > remote_bytes_ - message.bytes)
        throw std::logic_error("a message exceeds the peer's memory");
    return remote_base_ + message.remote_offset;
}

void UcxChannel::write(const Message& message) {
    const std::uint64_t to = remote(message);
    if (message.notifies && requests_->is_full())
        throw std::logic_error("a channel's depth is exceeded");
    Slot& slot = requests_->take(Verb::write, message.notifies ? Purpose::quiet : Purpose::message,
                                 message.id);
    const auto param = UcxRequests::parameters(slot, memory_.handle(), memory_.type());
    UcxRequests::settle(slot, ucp_put_nbx(endpoint_->get(), memory_.data() + message.offset,
                                          message.bytes, to, key_.get(), &param));
    queue_flush_[static_cast<std::size_t>(message.queue)] = flushes_ + 1;
    // The notice comes back in place of the write: it is sent when the data are there, and if it
    // were not waited for nobody might poll until it is.
    if (message.notifies) send({.bytes = 0, .id = message.id, .queue = message.queue});
}

void UcxChannel::read(const Message& message) {
    const std::uint64_t from = remote(message);
    Slot& slot = requests_->take(Verb::read, Purpose::message, message.id);
    const auto param = UcxRequests::parameters(slot, memory_.handle(), memory_.type());
    UcxRequests::settle(slot, ucp_get_nbx(endpoint_->get(), memory_.data() + message.offset,
                                          message.bytes, from, key_.get(), &param));
}

void UcxChannel::receive(const Message& message) {
    Slot& slot = requests_->take(Verb::receive, Purpose::message, message.id);
    const auto param = UcxRequests::parameters(slot, memory_.handle(), memory_.type());
    UcxRequests::settle(slot,
                        ucp_tag_recv_nbx(worker_, memory_.data() + message.offset, message.bytes,
                                         tag_of(own_channel_, message.queue), whole_tag, &param));
}

void UcxChannel::send(const Message& message) {
    const auto queue = static_cast<std::size_t>(message.queue);
    Slot& slot = requests_->take(Verb::send, Purpose::message, message.id);
    const std::uint64_t flush = queue_flush_[queue];
    if (flush > flushes_) start_flush();
    if (flush <= requests_->last_flush() && queue_deferred_[queue] == 0)
        return start_send(slot, message.offset, message.bytes, message.queue);
    deferred_[(first_deferred_ + deferred_count_) % deferred_.size()] = {
        &slot, message.offset, message.bytes, message.queue, flush};
    ++deferred_count_;
    ++queue_deferred_[queue];
}

void UcxChannel::start_send(Slot& slot, std::size_t offset, std::size_t bytes, int queue) {
    const auto param = UcxRequests::parameters(slot, memory_.handle(), memory_.type());
    UcxRequests::settle(slot, ucp_tag_send_nbx(endpoint_->get(), memory_.data() + offset, bytes,
                                               tag_of(their_channel_, queue), &param));
}

/// Flushes finish in their order, and those that wait for them wait in theirs.
void UcxChannel::send_deferred() {
    while (deferred_count_ > 0) {
        const Deferred& next = deferred_[first_deferred_];
        if (next.flush > requests_->last_flush()) return;
        start_send(*next.slot, next.offset, next.bytes, next.queue);
        --queue_deferred_[static_cast<std::size_t>(next.queue)];
        first_deferred_ = (first_deferred_ + 1) % deferred_.size();
        --deferred_count_;
    }
}

void UcxChannel::start_flush() {
    Slot& slot = requests_->take(Verb::write, Purpose::flush, ++flushes_);
    const auto param = UcxRequests::parameters(slot, nullptr, UCS_MEMORY_TYPE_HOST);
    UcxRequests::settle(slot, ucp_ep_flush_nbx(endpoint_->get(), &param));
}

void UcxChannel::wait(std::int64_t limit_ns, const char* doing, auto is_done) {
    const auto is_over = [&] { return has_failed() || is_done(); };
    const bool came = progress_until(worker_, limit_ns, is_over);
    if (has_failed()) fail();
    if (came) return;
    throw Error(ExitCode::library, fmt::format("{} {} by UCX failed", doing, peer_->name()),
                fmt::format("it did not answer within {} s", limit_ns / second_ns),
                "see whether that process still runs, and whether both NICs have a link");
}

/// Both sides tell each other that they are here, after all that they have written.
void UcxChannel::meet(int queue, std::int64_t limit_ns, const char* doing) {
    const std::size_t tokens = requests_->finished_tokens() + 2;
    start_flush();
    wait(limit_ns, doing, [this] { return requests_->last_flush() == flushes_; });
    Slot& come = requests_->take(Verb::receive, Purpose::token, 0);
    auto param = UcxRequests::parameters(come, nullptr, UCS_MEMORY_TYPE_HOST);
    UcxRequests::settle(come, ucp_tag_recv_nbx(worker_, nullptr, 0, tag_of(own_channel_, queue),
                                               whole_tag, &param));
    Slot& go = requests_->take(Verb::send, Purpose::token, 0);
    param = UcxRequests::parameters(go, nullptr, UCS_MEMORY_TYPE_HOST);
    UcxRequests::settle(
        go, ucp_tag_send_nbx(endpoint_->get(), nullptr, 0, tag_of(their_channel_, queue), &param));
    wait(limit_ns, doing, [this, tokens] { return requests_->finished_tokens() == tokens; });
}

/// The first meeting makes the connection, which takes the progress of both sides; whoever has
/// come out of the second knows that the peer is through the first, and needs no more of it.
void UcxChannel::open() {
    meet(hello_queue, step_limit_ns, "connecting to");
    meet(ready_queue, step_limit_ns, "connecting to");
}

void UcxChannel::cancel_receives() {
    requests_->cancel_receives(worker_);
    wait(step_limit_ns, "taking back receives from",
         [this] { return requests_->active_receives() == 0; });
}

void UcxChannel::close() {
    if (requests_->in_flight() > requests_->active_receives())
        throw std::logic_error("a channel is closed with messages in flight");
    cancel_receives();
    // The peer may need this side's progress until it has come this far, too; after that it may go
    // at any time, which is no error any more.
    meet(goodbye_queue, goodbye_limit_ns, "parting from");
    swap_status(*peer_, {});
    key_.reset();
    endpoint_->close(step_limit_ns);
    endpoint_.reset();
}

void UcxChannel::fail() const {
    const UcxRequests::Failure& failure = requests_->failure();
    const bool is_operation = failure.status != UCS_OK;
    const ucs_status_t status = is_operation ? failure.status : endpoint_->state();
    throw_ucx_error(
        status, fmt::format("{} {}", is_operation ? words_of(failure.verb) : "the connection to",
                            peer_->name()));
}

}  // namespace railgauge
