// SPDX-License-Identifier: Apache-2.0
// Statuses: InfiniBand Architecture Specification, volume 1, "Completion return status".
#include "verbs/failed_work.hpp"

#include <cmath>

#include <fmt/format.h>

namespace railgauge {
namespace {

/// "6 retries of 67 ms"; a device may wait up to four times as long.
std::string describe_patience(const PathOptions& options) {
    constexpr double unit_ms = 4.096e-3;
    return fmt::format("{} retries of {:.3g} ms", options.retries,
                       std::ldexp(unit_ms, options.timeout_exponent));
}

std::string describe_status(const FailedWork& work, const PathOptions& options) {
    std::string text =
        fmt::format("{}, vendor code {:#x}", ibv_wc_status_str(work.status), work.vendor_code);
    if (work.status == IBV_WC_RETRY_EXC_ERR)
        text += fmt::format("; no answer after {}", describe_patience(options));
    return text;
}

const char* remedy_of(ibv_wc_status status) {
    switch (status) {
        case IBV_WC_RETRY_EXC_ERR:
        case IBV_WC_RESP_TIMEOUT_ERR:
            return "see whether the peer is alive, its link is up, and the two addresses reach "
                   "each other (GID, VLAN, routes, MTU of the switches)";
        case IBV_WC_RNR_RETRY_EXC_ERR:
            return "the peer posted no receive for it: see whether it hangs or is behind";
        case IBV_WC_REM_ACCESS_ERR:
        case IBV_WC_REM_INV_REQ_ERR:
            return "it lies outside the peer's registered memory, or is longer than the peer's "
                   "receive: a mistake of this program, please report it";
        case IBV_WC_LOC_LEN_ERR:
        case IBV_WC_LOC_PROT_ERR:
        case IBV_WC_LOC_QP_OP_ERR:
        case IBV_WC_LOC_ACCESS_ERR:
            return "it lies outside this side's registered memory, or is longer than its receive: "
                   "a mistake of this program, please report it";
        case IBV_WC_REM_OP_ERR:
            return "the peer's device failed: see its kernel's log and that program's errors";
        case IBV_WC_WR_FLUSH_ERR:
            return "the connection was broken before: see the peer's errors and the kernel's log";
        default: return "see the kernel's log on both nodes";
    }
}

}  // namespace

Error describe_failure(const FailedWork& work, std::string_view peer, std::string_view port_name,
                       const PathOptions& options) {
    return {ExitCode::library,
            fmt::format("a {} between {} and {} failed on queue pair {} (queue {})", work.verb,
                        port_name, peer, work.queue_pair, work.queue),
            describe_status(work, options), remedy_of(work.status)};
}

}  // namespace railgauge
