// SPDX-License-Identifier: Apache-2.0
#include "verbs/endpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include "base/error.hpp"
#include "verbs/check.hpp"
#include "verbs/mtu.hpp"
#include "verbs/queue_pair.hpp"

namespace railgauge {
namespace {

void require_limit(const Port& port, const char* what, int wanted, int most, const char* remedy) {
    if (wanted <= most) return;
    throw Error(ExitCode::usage, fmt::format("{} {} cannot be had", wanted, what),
                fmt::format("{} has {} at most", port.name, most), remedy);
}

void require_limits(const Port& port, const EndpointPlan& plan) {
    const char* const remedy = "use a smaller --depth or fewer queues";
    require_limit(port, "messages in flight on a queue pair",
                  std::max(plan.send_depth, plan.receive_depth), port.limits.max_qp_wr, remedy);
    const std::int64_t completions =
        std::int64_t{plan.queues} * (std::int64_t{plan.send_depth} + plan.receive_depth);
    require_limit(port, "completions of one peer",
                  static_cast<int>(std::min<std::int64_t>(completions, INT32_MAX)),
                  port.limits.max_cqe, remedy);
}

CompletionQueue make_completions(const Port& port, const EndpointPlan& plan) {
    const int size = plan.queues * (plan.send_depth + plan.receive_depth);
    CompletionQueue queue(ibv_create_cq(port.context.get(), size, nullptr, nullptr, 0));
    if (queue) return queue;
    const int error = errno;
    throw Error(ExitCode::library,
                fmt::format("a completion queue of {} cannot be made on {}", size, port.name),
                fmt::format("{}; the device has {} queues of {} at most, and {}",
                            std::generic_category().message(error), port.limits.max_cq,
                            port.limits.max_cqe, locked_memory_limit()),
                "use a smaller --depth, fewer peers at a time or fewer ranks of one NIC");
}

/// Sizes of inline messages to try: what is asked for, or what devices usually have and less.
std::vector<std::uint32_t> inline_sizes(const Port& port, const EndpointPlan& plan) {
    if (!plan.may_inline) return {0};
    if (port.options.inline_bytes) return {*port.options.inline_bytes};
    return {220, 128, 64, 0};
}

void require_inline(const Port& port, int error) {
    if (error != EINVAL || !port.options.inline_bytes) return;
    throw Error(ExitCode::usage,
                fmt::format("--inline {} cannot be had", *port.options.inline_bytes),
                fmt::format("{} makes no queue pair with it", port.name),
                "use a smaller one, or leave it to the device");
}

[[noreturn]] void refuse_queue_pair(const Port& port, const EndpointPlan& plan, std::size_t number,
                                    int error) {
    require_inline(port, error);
    throw Error(
        ExitCode::library,
        fmt::format("queue pair {} of {} cannot be made on {}", number, plan.queues, port.name),
        fmt::format("{}; the device has {} in all, of {} messages each at most, a control group "
                    "(rdma.max) may allow less, and {}",
                    std::generic_category().message(error), port.limits.max_qp,
                    port.limits.max_qp_wr, locked_memory_limit()),
        "use fewer queues, fewer peers at a time or fewer ranks of one NIC");
}

QueuePair make_first(const Port& port, const EndpointPlan& plan, Endpoint& endpoint) {
    for (const std::uint32_t inline_bytes : inline_sizes(port, plan)) {
        const QueueSize size{static_cast<std::uint32_t>(plan.send_depth),
                             static_cast<std::uint32_t>(plan.receive_depth), inline_bytes};
        endpoint.inline_bytes = inline_bytes;
        if (QueuePair queue = make_queue_pair(port, *endpoint.completions, size)) return queue;
    }
    refuse_queue_pair(port, plan, 1, errno);
}

void add_queue(const Port& port, const EndpointPlan& plan, Endpoint& endpoint) {
    if (endpoint.queues.empty()) {
        endpoint.queues.push_back(make_first(port, plan, endpoint));
        return;
    }
    const QueueSize size{static_cast<std::uint32_t>(plan.send_depth),
                         static_cast<std::uint32_t>(plan.receive_depth), endpoint.inline_bytes};
    QueuePair queue = make_queue_pair(port, *endpoint.completions, size);
    if (!queue) refuse_queue_pair(port, plan, endpoint.queues.size() + 1, errno);
    endpoint.queues.push_back(std::move(queue));
}

std::uint8_t in_8_bits(int value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

}  // namespace

Endpoint make_endpoint(const Port& port, const EndpointPlan& plan) {
    require_limits(port, plan);
    Endpoint endpoint;
    endpoint.completions = make_completions(port, plan);
    std::random_device random;
    for (int i = 0; i < plan.queues; ++i) {
        add_queue(port, plan, endpoint);
        endpoint.ends.push_back({endpoint.queues.back()->qp_num, random() & 0xff'ffff});
    }
    return endpoint;
}

void describe(const Port& port, const Endpoint& endpoint, Card& card) {
    card.end = port.end;
    card.mtu_bytes = mtu_bytes(port.mtu);
    card.most_reads_out = in_8_bits(port.limits.max_qp_init_rd_atom);
    card.most_reads_in = in_8_bits(port.limits.max_qp_rd_atom);
    card.queues = endpoint.ends;
}

void connect(Endpoint& endpoint, const Port& port, const Card& mine, const Card& theirs,
             std::string_view peer) {
    const Agreement agreement = agree(mine, theirs, port.source);
    for (std::size_t i = 0; i < endpoint.queues.size(); ++i) {
        ibv_qp& queue = *endpoint.queues[i];
        open_for_receiving(queue, theirs.queues.at(i), agreement, peer);
        open_for_sending(queue, mine.queues.at(i), agreement, port.options, peer);
    }
}

}  // namespace railgauge
