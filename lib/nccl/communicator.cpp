// SPDX-License-Identifier: Apache-2.0
#include "nccl/communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/check.hpp"
#include "nccl/check.hpp"
#include "nccl/live.hpp"

namespace railgauge {
namespace {

using Kind = LiveCommunicators::Kind;

/// In the order of cta_policies.
constexpr std::array<int, cta_policies.size()> policies{
    NCCL_CTA_POLICY_DEFAULT, NCCL_CTA_POLICY_EFFICIENCY, NCCL_CTA_POLICY_ZERO};

/// @param name one of cta_policies
int cta_policy(const std::string& name) {
    const auto* const found = std::find(cta_policies.begin(), cta_policies.end(), name);
    return policies.at(static_cast<std::size_t>(found - cta_policies.begin()));
}

ncclConfig_t config_of(const NcclOptions& options, Kind kind) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = kind == Kind::root ? 0 : 1;
    config.splitShare = 0;  // what a communicator takes is measured, so it shares nothing
    config.commName = kind == Kind::root ? "railgauge-root" : "railgauge";
    if (options.cta_policy != cta_policies.front())
        config.CTAPolicy = cta_policy(options.cta_policy);
    if (options.min_ctas > 0) config.minCTAs = options.min_ctas;
    if (options.max_ctas > 0) config.maxCTAs = options.max_ctas;
    if (options.traffic_class >= 0) config.trafficClass = options.traffic_class;
    return config;
}

/// Rank 0 alone would have to talk to every rank; NCCL advises one id for about so many.
constexpr int ranks_per_id = 128;

/// Ids made by ranks that lie evenly among all, the same on every rank.
std::vector<ncclUniqueId> share_ids(MPI_Comm comm, int rank, int size) {
    const int count = (size + ranks_per_id - 1) / ranks_per_id;
    std::vector<ncclUniqueId> ids(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const int maker = i * ranks_per_id;
        ncclUniqueId& id = ids[static_cast<std::size_t>(i)];
        if (rank == maker) check_nccl(ncclGetUniqueId(&id), "making an id for a communicator");
        check_mpi(MPI_Bcast(&id, sizeof id, MPI_BYTE, maker, comm), "sharing a communicator's id");
    }
    return ids;
}

/// Runs a step that all ranks take together.
template <class Step>
void together(Step step) {
    try {
        step();
    } catch (const Error& error) {
        throw StrandedError(error);
    }
}

/// Waits for what was started on a communicator that does not block. The deadline is the
/// watchdog's.
void wait_for(ncclComm_t comm, const char* doing) {
    constexpr std::chrono::microseconds pause{200};
    ncclResult_t state = ncclInProgress;
    while (true) {
        state = live_communicators().state_of(comm);
        if (state != ncclInProgress) break;
        std::this_thread::sleep_for(pause);
    }
    check_nccl(state, doing, comm);
}

}  // namespace

NcclCommunicator::NcclCommunicator(ncclComm_t comm) : comm_(comm) {
    check_nccl(ncclCommUserRank(comm, &rank_), "asking for a rank in a communicator", comm);
    check_nccl(ncclCommCount(comm, &size_), "asking for a communicator's size", comm);
}

NcclCommunicator NcclCommunicator::make_root(MPI_Comm comm, const NcclOptions& options) {
    int rank = 0;
    int size = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), "asking for a rank");
    check_mpi(MPI_Comm_size(comm, &size), "asking for the number of ranks");
    std::vector<ncclUniqueId> ids = share_ids(comm, rank, size);
    ncclConfig_t config = config_of(options, Kind::root);
    ncclComm_t root = nullptr;
    constexpr const char* doing = "making a communicator";
    const ncclResult_t started =
        ids.size() == 1 ? ncclCommInitRankConfig(&root, size, ids.front(), rank, &config)
                        : ncclCommInitRankScalable(&root, size, rank, static_cast<int>(ids.size()),
                                                   ids.data(), &config);
    if (root != nullptr) live_communicators().add(root, Kind::root);
    together([&] {
        check_nccl_started(started, doing, root);
        wait_for(root, doing);
    });
    return NcclCommunicator(root);
}

NcclCommunicator NcclCommunicator::split(int color, const NcclOptions& options) {
    ncclConfig_t config = config_of(options, Kind::measured);
    ncclComm_t part = nullptr;
    constexpr const char* doing = "splitting a communicator";
    const int part_color = color < 0 ? NCCL_SPLIT_NOCOLOR : color;
    together([&] {
        check_nccl_started(ncclCommSplit(comm_, part_color, rank_, &part, &config), doing, comm_);
        wait_for(comm_, doing);
    });
    if (color < 0) return {};
    if (part == nullptr) throw std::logic_error("a split gave no communicator");
    live_communicators().add(part, Kind::measured);
    return NcclCommunicator(part);
}

NcclCommunicator::NcclCommunicator(NcclCommunicator&& other) noexcept
    : comm_(std::exchange(other.comm_, nullptr)), rank_(other.rank_), size_(other.size_) {}

NcclCommunicator& NcclCommunicator::operator=(NcclCommunicator&& other) noexcept {
    if (this == &other) return *this;
    abort();
    comm_ = std::exchange(other.comm_, nullptr);
    rank_ = other.rank_;
    size_ = other.size_;
    return *this;
}

NcclCommunicator::~NcclCommunicator() {
    abort();
}

void NcclCommunicator::require_healthy() const {
    check_nccl(live_communicators().state_of(comm_), "an operation", comm_);
}

void NcclCommunicator::close() {
    if (comm_ == nullptr) return;
    constexpr const char* doing = "ending a communicator";
    together([&] {
        check_nccl_started(ncclCommFinalize(comm_), doing, comm_);
        wait_for(comm_, doing);
    });
    live_communicators().remove(comm_);
    check_nccl_started(ncclCommDestroy(std::exchange(comm_, nullptr)), doing);
}

void NcclCommunicator::abort() noexcept {
    if (comm_ == nullptr) return;
    ncclComm_t comm = std::exchange(comm_, nullptr);
    if (live_communicators().remove(comm))
        log_nccl_error(ncclCommAbort(comm), "aborting a communicator");
}

}  // namespace railgauge
