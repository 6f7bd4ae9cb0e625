// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nccl.h>

#include "abort_row.hpp"
#include "checks.hpp"
#include "child.hpp"
#include "cuda/gpu.hpp"
#include "nccl/check.hpp"
#include "nccl/live.hpp"

namespace railgauge::smoke {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto deadline = 3s;
constexpr const char* check_name = "abort: peer never comes";

/// The first rank of two. Does not block, as the first communicator of a job.
ncclComm_t begin_of_two() {
    ncclUniqueId id{};
    check_nccl(ncclGetUniqueId(&id), "making an id for a communicator");
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t comm = nullptr;
    check_nccl_started(ncclCommInitRankConfig(&comm, 2, id, 0, &config), "making a communicator",
                       comm);
    return comm;
}

Row wait_for_nobody() {
    bind_gpu(0, 1);
    ncclComm_t const comm = begin_of_two();
    live_communicators().add(comm, LiveCommunicators::Kind::root);
    const Clock::time_point end = Clock::now() + deadline;
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress && Clock::now() < end) {
        check_nccl(ncclCommGetAsyncError(comm, &state), "making a communicator", comm);
        std::this_thread::sleep_for(200us);
    }
    if (state != ncclInProgress) {
        return {check_name, Outcome::fail, "-",
                fmt::format("it ended by itself: {}", ncclGetErrorString(state))};
    }
    return abort_live(check_name, "NCCL's initialisation hung for 3 s, then abort");
}

}  // namespace

std::vector<Row> check_lone_rank() {
    Child child(check_name, [](const Child::Send& send) {
        send(wait_for_nobody());
        std::this_thread::sleep_for(200ms);  // a thread of the library that abort left may crash
    });
    return child.wait(Clock::now() + 90s);
}

}  // namespace railgauge::smoke
