// SPDX-License-Identifier: Apache-2.0
#include "communicator.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "backoff.hpp"
#include "dump.hpp"
#include "errors.hpp"
#include "gpu_double.hpp"

using namespace gpu_double;

namespace {

// NCCL_HOSTID makes ranks of one machine look like ranks of several, as it does for NCCL.
void write_host(std::array<char, 64>& host) {
    if (const char* text = std::getenv("NCCL_HOSTID")) {
        std::snprintf(host.data(), host.size(), "%s", text);
        return;
    }
    gethostname(host.data(), host.size() - 1);
}

}  // namespace

ncclComm::~ncclComm() {
    if (holds_memory_) gpu_double_give_memory(identity_.device, identity_.device_bytes);
}

ncclResult_t ncclComm::connect() {
    segment_ = Segment::open(identity_.name, ranks());
    if (!segment_) return fail(ncclSystemError, "no shared memory for " + identity_.name);
    if (!segment_->agrees_on_ranks())
        return fail(ncclInvalidArgument, "ranks were given different numbers of ranks");
    if (const auto error = take_memory(); error != ncclSuccess) return error;
    if (const auto error = introduce(); error != ncclSuccess) return error;
    if (const auto fault = faults_.at_init())
        if (suffer(*fault, "initialisation") == Outcome::stopped)
            return stop_ ? fail(ncclInternalError, "aborted") : state_.load();
    if (meet_in_control() == Outcome::stopped) return fail(ncclInternalError, "aborted");
    if (rank() == 0) write_dumps(ranks());
    return refuse_shared_gpus();
}

ncclResult_t ncclComm::take_memory() {
    if (gpu_double_take_memory(identity_.device, identity_.device_bytes) != cudaSuccess)
        return fail(ncclUnhandledCudaError, "no device memory left for the communicator");
    holds_memory_ = true;
    return ncclSuccess;
}

// The name goes as soon as all are here, so that killed ranks leave nothing behind.
ncclResult_t ncclComm::introduce() {
    Member& me = segment_->member(rank());
    write_host(me.host);
    cudaDeviceGetPCIBusId(me.gpu.data(), static_cast<int>(me.gpu.size()), identity_.device);
    const Outcome outcome = meet_in_control();
    if (rank() == 0 || outcome == Outcome::stopped) segment_->unlink();
    return outcome == Outcome::done ? ncclSuccess : fail(ncclInternalError, "aborted");
}

ncclResult_t ncclComm::refuse_shared_gpus() {
    for (int first = 0; first < ranks(); ++first)
        for (int second = first + 1; second < ranks(); ++second) {
            const Member& a = segment_->member(first);
            const Member& b = segment_->member(second);
            if (a.host == b.host && a.gpu == b.gpu)
                return fail(ncclInvalidUsage, "Duplicate GPU detected : rank " +
                                                  std::to_string(first) + " and rank " +
                                                  std::to_string(second) + " both on CUDA device " +
                                                  a.gpu.data());
        }
    return ncclSuccess;
}

ncclResult_t ncclComm::agree_on_split(int color, int key, Membership& membership) {
    Member& me = segment_->member(rank());
    me.color = color;
    me.key = key;
    if (meet_in_control() == Outcome::stopped) return fail(ncclInternalError, "aborted");
    membership = {0, 0,
                  identity_.name + ".s" + std::to_string(splits_++) + "." + std::to_string(color)};
    for (int other = 0; other < ranks(); ++other) {
        const Member& them = segment_->member(other);
        if (them.color != color) continue;
        ++membership.ranks;
        if (them.key < key || (them.key == key && other < rank())) ++membership.rank;
    }
    return meet_in_control() == Outcome::done ? ncclSuccess : fail(ncclInternalError, "aborted");
}

void ncclComm::become(const Membership& membership) {
    identity_.name = membership.name;
    identity_.rank = membership.rank;
    identity_.ranks = membership.ranks;
    faults_ = FaultPlan(identity_.rank, identity_.family);
}

void ncclComm::finish_progress() {
    ncclResult_t progress = ncclInProgress;
    state_.compare_exchange_strong(progress, ncclSuccess);
}

ncclResult_t ncclComm::raise(ncclResult_t error, const std::string& problem) {
    fail(error, problem);
    ncclResult_t now = state_;
    while ((now == ncclSuccess || now == ncclInProgress) &&
           !state_.compare_exchange_weak(now, error)) {
    }
    return error;
}

void ncclComm::stop() {
    stop_ = true;
    turnstile_.close();
    if (holds_memory_.exchange(false))
        gpu_double_give_memory(identity_.device, identity_.device_bytes);
}

Outcome ncclComm::suffer(const Fault& fault, const std::string& where) {
    if (fault.kind == FaultKind::corrupt) return Outcome::done;
    if (fault.kind == FaultKind::error)
        raise(ncclRemoteError,
              "injected: rank " + std::to_string(rank()) + " lost a peer in " + where);
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(fault.amount);
    Backoff backoff;
    while (!stop_) {
        if (fault.kind == FaultKind::slow && std::chrono::steady_clock::now() >= end)
            return Outcome::done;
        if (fault.kind == FaultKind::error && state_ != ncclSuccess && where == "initialisation")
            return Outcome::stopped;
        backoff.pause();
    }
    return Outcome::stopped;
}

ncclRedOp_t ncclComm::add_operation(PreMulSum operation) {
    const std::scoped_lock lock(operations_mutex_);
    operations_.emplace(next_operation_, operation);
    return static_cast<ncclRedOp_t>(next_operation_++);
}

bool ncclComm::remove_operation(ncclRedOp_t operation) {
    const std::scoped_lock lock(operations_mutex_);
    return operations_.erase(operation) == 1;
}

std::optional<PreMulSum> ncclComm::find_operation(ncclRedOp_t operation) const {
    const std::scoped_lock lock(operations_mutex_);
    const auto found = operations_.find(operation);
    if (found == operations_.end()) return std::nullopt;
    return found->second;
}

void* ncclComm::add_registration(void* buffer) {
    const std::scoped_lock lock(operations_mutex_);
    return *registrations_.insert(buffer);
}

bool ncclComm::remove_registration(void* handle) {
    const std::scoped_lock lock(operations_mutex_);
    const auto found = registrations_.find(handle);
    if (found == registrations_.end()) return false;
    registrations_.erase(found);
    return true;
}

namespace gpu_double {

Handles<ncclComm>& communicators() {
    static auto* const all = new Handles<ncclComm>;
    return *all;
}

CommunicatorPointer usable(ncclComm_t handle, ncclResult_t& error) {
    auto communicator = communicators().find(handle);
    if (!communicator) {
        error = fail(ncclInvalidArgument, "not a communicator");
        return nullptr;
    }
    error = communicator->state();
    if (error == ncclSuccess) return communicator;
    if (error == ncclInProgress)
        error =
            fail(ncclInvalidArgument,
                 "Attempt to use communicator before the previous operation returned ncclSuccess");
    return nullptr;
}

}  // namespace gpu_double
