// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <deque>
#include <mutex>

#include "errors.hpp"
#include "gpu_double.hpp"

namespace gpu_double {
namespace {

// A graph submits the same launch many times: each has its own turn and sequence numbers.
class Submission {
  public:
    explicit Submission(Launch launch) : launch_(std::move(launch)) {}

    void submitted() {
        const std::scoped_lock lock(mutex_);
        turns_.push_back(
            {communicator().turnstile().take_ticket(), communicator().take_sequence(operations())});
    }

    void run() {
        const Turn turn = take_turn();
        communicator().turnstile().wait_for_turn(turn.ticket);
        if (!communicator().stopped() && communicator().state() == ncclSuccess)
            run_all(turn.first_sequence);
        communicator().turnstile().pass();
    }

  private:
    struct Turn {
        std::uint64_t ticket;
        std::uint64_t first_sequence;
    };

    ncclComm& communicator() const { return *launch_.communicator; }
    // All messages of a group count as one.
    std::uint64_t operations() const {
        return launch_.collectives.size() + (launch_.messages.empty() ? 0 : 1);
    }

    Turn take_turn() {
        const std::scoped_lock lock(mutex_);
        const Turn turn = turns_.front();
        turns_.pop_front();
        return turn;
    }

    void run_all(std::uint64_t sequence) {
        if (!launch_.messages.empty() &&
            gpu_double::run(launch_.messages, communicator(), sequence++) == Outcome::stopped)
            return;
        for (const Collective& collective : launch_.collectives)
            if (gpu_double::run(collective, communicator(), sequence++) == Outcome::stopped) return;
    }

    const Launch launch_;
    std::mutex mutex_;
    std::deque<Turn> turns_;
};

Submission& submission(void* state) {
    return *static_cast<Submission*>(state);
}

}  // namespace

ncclResult_t submit(Launch launch) {
    const cudaStream_t stream = launch.stream;
    const gpu_double_operation operation{[](void* state) { submission(state).submitted(); },
                                         [](void* state) { submission(state).run(); },
                                         [](void* state) { delete &submission(state); },
                                         new Submission(std::move(launch))};
    if (gpu_double_enqueue(stream, &operation) == cudaSuccess) return ncclSuccess;
    return fail(ncclUnhandledCudaError, "the stream is none");
}

}  // namespace gpu_double
