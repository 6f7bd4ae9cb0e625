// SPDX-License-Identifier: Apache-2.0
#include "transport/verbs_channel.hpp"

#include <chrono>
#include <stdexcept>

#include <fmt/format.h>
#include <sched.h>

#include "base/log.hpp"
#include "measure/clock.hpp"
#include "verbs/check.hpp"
#include "verbs/failed_work.hpp"

namespace railgauge {
namespace {

// wr_id: place in the ring (32 bits), queue (16), verb (8).
constexpr unsigned queue_shift = 32;
constexpr unsigned verb_shift = 48;

std::uint64_t tag_of(const Message& message) noexcept {
    return (static_cast<std::uint64_t>(message.queue) << queue_shift) |
           (static_cast<std::uint64_t>(message.verb) << verb_shift);
}

Verb verb_of(std::uint64_t tag) noexcept {
    return static_cast<Verb>(tag >> verb_shift);
}

std::size_t queue_of(std::uint64_t tag) noexcept {
    return (tag >> queue_shift) & 0xffff;
}

std::string_view name_of(Verb verb) {
    switch (verb) {
        case Verb::send: return "send";
        case Verb::receive: return "receive";
        case Verb::write: return "write";
        case Verb::read: return "read";
    }
    return "message";
}

/// The peer's empty receive takes a write's notice; so it does an empty send, which is a write of
/// nothing.
ibv_wr_opcode opcode_of(const Message& message) noexcept {
    switch (message.verb) {
        case Verb::send: return message.bytes > 0 ? IBV_WR_SEND : IBV_WR_RDMA_WRITE_WITH_IMM;
        case Verb::write: return message.notifies ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
        case Verb::read:
        case Verb::receive: break;
    }
    return IBV_WR_RDMA_READ;
}

[[noreturn]] void refuse_depth() {
    throw std::logic_error("a channel's depth is exceeded");
}

}  // namespace

VerbsChannel::VerbsChannel(std::unique_ptr<Peer> peer, const Port& port, Endpoint endpoint,
                           const LocalMemory& memory, const Card& theirs,
                           const ChannelParameters& parameters)
    : peer_(std::move(peer)),
      port_(port),
      endpoint_(std::move(endpoint)),
      completion_queue_(endpoint_.completions.get()),
      local_address_(memory.address),
      remote_address_(theirs.address),
      inline_bytes_(endpoint_.inline_bytes) {
    const auto sends = static_cast<std::size_t>(parameters.send_depth);
    const auto receives = static_cast<std::size_t>(parameters.receive_depth);
    for (const QueuePair& pair : endpoint_.queues)
        queues_.push_back({pair.get(), IdRing(sends), IdRing(receives)});
    completions_.resize(queues_.size() * (sends + receives));
    place_.lkey = memory.key;
    work_.sg_list = &place_;
    work_.wr.rdma.rkey = theirs.key;
}

VerbsChannel::~VerbsChannel() {
    if (const std::size_t left = sends_in_flight(); left > 0)
        log_here("a channel to {} was left with {} messages in flight", peer_->name(), left);
}

void VerbsChannel::post(const Message& message) {
    Queue& queue = queues_[static_cast<std::size_t>(message.queue)];
    if (message.verb == Verb::receive) return post_receive(queue, message);
    if (queue.sends.is_full()) [[unlikely]]
        refuse_depth();
    fill(message, queue);
    ibv_send_wr* refused = nullptr;
    const int result = ibv_post_send(queue.pair, &work_, &refused);
    if (result != 0) [[unlikely]]
        fail_post(result, message);
}

void VerbsChannel::fill(const Message& message, Queue& queue) {
    place_.addr = local_address_ + message.offset;
    place_.length = static_cast<std::uint32_t>(message.bytes);
    work_.wr_id = tag_of(message) | queue.sends.push(message.id);
    work_.num_sge = message.bytes > 0 ? 1 : 0;
    work_.opcode = opcode_of(message);
    work_.wr.rdma.remote_addr = remote_address_ + message.remote_offset;
    const bool is_inline =
        message.bytes > 0 && message.bytes <= inline_bytes_ && message.verb != Verb::read;
    work_.send_flags = (message.signalled ? unsigned{IBV_SEND_SIGNALED} : 0u) |
                       (is_inline ? unsigned{IBV_SEND_INLINE} : 0u);
}

void VerbsChannel::post_receive(Queue& queue, const Message& message) {
    if (queue.receives.is_full()) [[unlikely]]
        refuse_depth();
    place_.addr = local_address_ + message.offset;
    place_.length = static_cast<std::uint32_t>(message.bytes);
    ibv_recv_wr work{};
    work.wr_id = tag_of(message) | queue.receives.push(message.id);
    work.sg_list = &place_;
    work.num_sge = message.bytes > 0 ? 1 : 0;
    ibv_recv_wr* refused = nullptr;
    const int result = ibv_post_recv(queue.pair, &work, &refused);
    if (result != 0) [[unlikely]]
        fail_post(result, message);
}

std::span<const Completion> VerbsChannel::poll() {
    // Who waits long lets others run: where ranks share CPUs, it waits for them.
    constexpr std::uint32_t polls_per_yield = 4096;
    const int count = ibv_poll_cq(completion_queue_, most_at_once, found_.data());
    if (count == 0) {
        if (++empty_polls_ % polls_per_yield == 0) sched_yield();
        return {};
    }
    if (count < 0) [[unlikely]]
        throw_verbs_error(-count, fmt::format("asking for completions of {}", port_.name),
                          "see the kernel's log");
    empty_polls_ = 0;
    finished_ = 0;
    const std::int64_t now_ns = monotonic_now_ns();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        if (found_[i].status != IBV_WC_SUCCESS) [[unlikely]]
            fail(found_[i]);
        take(found_[i], now_ns);
    }
    return {completions_.data(), finished_};
}

void VerbsChannel::take(const ibv_wc& work, std::int64_t now_ns) {
    Queue& queue = queues_[queue_of(work.wr_id)];
    IdRing& ring = verb_of(work.wr_id) == Verb::receive ? queue.receives : queue.sends;
    ring.finish_through(static_cast<std::uint32_t>(work.wr_id), [&](std::uint64_t id) {
        completions_[finished_++] = {id, now_ns};
    });
}

void VerbsChannel::close() {
    if (sends_in_flight() > 0)
        throw std::logic_error("a channel is closed with messages in flight");
    static_cast<void>(peer_->swap({}));
    queues_.clear();
    endpoint_.queues.clear();
    endpoint_.completions.reset();
}

std::size_t VerbsChannel::sends_in_flight() const noexcept {
    std::size_t count = 0;
    for (const Queue& queue : queues_)
        count += queue.sends.in_flight();
    return count;
}

void VerbsChannel::fail_post(int error, const Message& message) const {
    throw_verbs_error(
        error,
        fmt::format("posting a {} to {} on queue pair {} of {}", name_of(message.verb),
                    peer_->name(), queues_[static_cast<std::size_t>(message.queue)].pair->qp_num,
                    port_.name),
        "see the kernel's log; use a smaller --depth");
}

/// A broken queue pair flushes its other messages, and those may be seen first: the one that broke
/// it is waited for a while.
void VerbsChannel::fail(const ibv_wc& first) {
    using SteadyClock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds patience{100};
    const auto deadline = SteadyClock::now() + patience;
    const auto is_cause = [](const ibv_wc& work) {
        return work.status != IBV_WC_SUCCESS && work.status != IBV_WC_WR_FLUSH_ERR;
    };
    ibv_wc cause = first;
    for (const ibv_wc& work : found_) {
        if (!is_cause(cause) && is_cause(work)) cause = work;
    }
    while (!is_cause(cause) && SteadyClock::now() < deadline) {
        if (ibv_wc next{}; ibv_poll_cq(completion_queue_, 1, &next) == 1 && is_cause(next))
            cause = next;
    }
    const std::size_t queue = queue_of(cause.wr_id);
    throw describe_failure({name_of(verb_of(cause.wr_id)), static_cast<int>(queue),
                            queues_[queue].pair->qp_num, cause.status, cause.vendor_err},
                           peer_->name(), port_.name, port_.options);
}

}  // namespace railgauge
