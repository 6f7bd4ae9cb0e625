// SPDX-License-Identifier: Apache-2.0
// One rank's side of a communicator: who it is, what it shares, how it is doing.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include <nccl.h>

#include "fault.hpp"
#include "handles.hpp"
#include "reduction.hpp"
#include "segment.hpp"
#include "turnstile.hpp"

namespace gpu_double {

enum class Blocking { yes, no };

struct Identity {
    std::string name;
    int rank = 0;
    int ranks = 1;
    int device = 0;
    Blocking blocking = Blocking::yes;
    Family family = Family::world;
    std::size_t device_bytes = 0;
};

struct PreMulSum {
    ncclDataType_t type;
    // The factor itself, or where the device holds it.
    std::variant<Scalar, const void*> factor;
};

}  // namespace gpu_double

struct ncclComm : std::enable_shared_from_this<ncclComm> {
  public:
    explicit ncclComm(gpu_double::Identity identity)
        : identity_(std::move(identity)), faults_(identity_.rank, identity_.family) {}
    ncclComm(const ncclComm&) = delete;
    ncclComm& operator=(const ncclComm&) = delete;
    ~ncclComm();

    const gpu_double::Identity& identity() const { return identity_; }
    int rank() const { return identity_.rank; }
    int ranks() const { return identity_.ranks; }

    // Meets the other ranks; returns when all are there or this side is stopped.
    ncclResult_t connect();
    // Gives each rank's color and key to all, and says who this rank becomes.
    struct Membership {
        int rank;
        int ranks;
        std::string name;
    };
    ncclResult_t agree_on_split(int color, int key, Membership& membership);
    void become(const Membership& membership);

    // ncclInProgress, ncclSuccess or the error that ended it.
    ncclResult_t state() const { return state_; }
    void set_state(ncclResult_t state) { state_ = state; }
    // From ncclInProgress to ncclSuccess, unless an error came in between.
    void finish_progress();
    // The first error stays.
    ncclResult_t raise(ncclResult_t error, const std::string& problem);

    void stop();
    bool stopped() const { return stop_; }
    const std::atomic<bool>& stop_flag() const { return stop_; }
    // Hangs, fails or sleeps as the fault says; `stopped` when the operation must not go on.
    gpu_double::Outcome suffer(const gpu_double::Fault& fault, const std::string& where);

    void finalize() { finalized_ = true; }
    bool finalized() const { return finalized_; }

    const gpu_double::FaultPlan& faults() const { return faults_; }
    gpu_double::Segment& segment() { return *segment_; }
    gpu_double::Outcome meet() { return segment_->meet(segment_->header().data, stop_); }
    gpu_double::Turnstile& turnstile() { return turnstile_; }
    // First of `operations` numbers.
    std::uint64_t take_sequence(std::uint64_t operations) {
        return sequence_.fetch_add(operations);
    }

    ncclRedOp_t add_operation(gpu_double::PreMulSum operation);
    bool remove_operation(ncclRedOp_t operation);
    std::optional<gpu_double::PreMulSum> find_operation(ncclRedOp_t operation) const;

    // Registered buffers and windows.
    void* add_registration(void* buffer);
    bool remove_registration(void* handle);

  private:
    ncclResult_t take_memory();
    ncclResult_t introduce();
    ncclResult_t refuse_shared_gpus();
    gpu_double::Outcome meet_in_control() {
        return segment_->meet(segment_->header().control, stop_);
    }

    gpu_double::Identity identity_;
    gpu_double::FaultPlan faults_;
    std::unique_ptr<gpu_double::Segment> segment_;
    std::atomic<ncclResult_t> state_{ncclInProgress};
    std::atomic<bool> stop_{false};
    std::atomic<bool> finalized_{false};
    std::atomic<bool> holds_memory_{false};
    std::atomic<std::uint64_t> sequence_{0};
    int splits_ = 0;
    gpu_double::Turnstile turnstile_;
    mutable std::mutex operations_mutex_;
    std::map<int, gpu_double::PreMulSum> operations_;
    int next_operation_ = ncclNumOps;
    std::multiset<void*> registrations_;
};

namespace gpu_double {

using CommunicatorPointer = std::shared_ptr<ncclComm>;

Handles<ncclComm>& communicators();

// nullptr, with `error` set, unless the communicator may be used now.
CommunicatorPointer usable(ncclComm_t handle, ncclResult_t& error);

}  // namespace gpu_double
