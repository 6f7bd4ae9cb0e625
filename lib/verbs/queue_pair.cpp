// SPDX-License-Identifier: Apache-2.0
#include "verbs/queue_pair.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "verbs/check.hpp"
#include "verbs/mtu.hpp"

namespace railgauge {
namespace {

// A receive that is missing is a mistake: it is waited for a while (10 ms each time), not for ever.
constexpr std::uint8_t missing_receive_timer = 20;
constexpr std::uint8_t missing_receive_retries = 6;

/// @return errno's number, 0 when done
int initialise(ibv_qp& queue, const Port& port) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.pkey_index = port.options.pkey_index;
    attributes.port_num = port.source.port;
    attributes.qp_access_flags =
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    return ibv_modify_qp(&queue, &attributes,
                         IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

void modify(ibv_qp& queue, ibv_qp_attr& attributes, int mask, std::string_view peer) {
    const int result = ibv_modify_qp(&queue, &attributes, mask);
    if (result == 0) return;
    const bool is_path =
        result == ETIMEDOUT || result == EHOSTUNREACH || result == ENETUNREACH || result == EINVAL;
    throw_verbs_error(result, fmt::format("connecting queue pair {} to {}", queue.qp_num, peer),
                      is_path ? "check that the two addresses reach each other (ping over these "
                                "interfaces), their VLANs, and --gid-kind"
                              : "see the kernel's log");
}

}  // namespace

QueuePair make_queue_pair(const Port& port, ibv_cq& completions, const QueueSize& size) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = &completions;
    wanted.recv_cq = &completions;
    wanted.qp_type = IBV_QPT_RC;
    wanted.cap = {size.sends, size.receives, 1, 1, size.inline_bytes};
    QueuePair queue(ibv_create_qp(port.domain.get(), &wanted));
    if (!queue) return queue;
    const int result = initialise(*queue, port);
    if (result == 0) return queue;
    queue.reset();
    errno = result;
    return queue;
}

Agreement agree(const Card& mine, const Card& theirs, const PathSource& source) {
    Agreement agreement;
    agreement.address = make_address(mine.end, theirs.end, source);
    const std::uint32_t bytes = std::min(mine.mtu_bytes, theirs.mtu_bytes);
    agreement.mtu = mtu_of_bytes(bytes).value_or(IBV_MTU_256);
    agreement.reads_out = std::min(mine.most_reads_out, theirs.most_reads_in);
    agreement.reads_in = std::min(mine.most_reads_in, theirs.most_reads_out);
    return agreement;
}

void open_for_receiving(ibv_qp& queue, const QueueEnd& theirs, const Agreement& agreement,
                        std::string_view peer) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RTR;
    attributes.ah_attr = agreement.address;
    attributes.path_mtu = agreement.mtu;
    attributes.dest_qp_num = theirs.number;
    attributes.rq_psn = theirs.first_packet;
    attributes.max_dest_rd_atomic = agreement.reads_in;
    attributes.min_rnr_timer = missing_receive_timer;
    modify(queue, attributes,
           IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
               IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
           peer);
}

void open_for_sending(ibv_qp& queue, const QueueEnd& mine, const Agreement& agreement,
                      const PathOptions& options, std::string_view peer) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RTS;
    attributes.timeout = options.timeout_exponent;
    attributes.retry_cnt = options.retries;
    attributes.rnr_retry = missing_receive_retries;
    attributes.sq_psn = mine.first_packet;
    attributes.max_rd_atomic = agreement.reads_out;
    modify(queue, attributes,
           IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
               IBV_QP_MAX_QP_RD_ATOMIC,
           peer);
}

}  // namespace railgauge
