// SPDX-License-Identifier: Apache-2.0
#include "mpi/watchdog.hpp"

#include <future>
#include <thread>
#include <utility>

#include <unistd.h>

#include "base/error.hpp"
#include "mpi/board/keeper.hpp"

namespace railgauge {

/// The keeper and its thread. The keeper outlives this object if its thread is stuck in a file
/// system.
class Watchdog::Implementation {
  public:
    Implementation(const Progress& progress, Options options)
        : keeper_(std::make_shared<board::Keeper>(progress, std::move(options))),
          thread_([keeper = keeper_] { keeper->run(); }) {}

    ~Implementation() { close(); }

    /// Has the watchdog's thread do `order`.
    template <class Order>
    void post(Order order) {
        keeper_->post([keeper = keeper_.get(), order]() mutable { order(*keeper); });
    }

    void close() {
        if (!thread_.joinable()) return;
        const bool is_fork = ::getpid() != owner_;  // which has no such thread
        if (!is_fork && keeper_->stop(patience))
            thread_.join();
        else
            thread_.detach();
        keeper_->release_signals();
    }

    static constexpr board::milliseconds patience{2000};

  private:
    std::shared_ptr<board::Keeper> keeper_;
    std::thread thread_;
    pid_t owner_ = ::getpid();
};

Watchdog::Watchdog(const Progress& progress, Options options)
    : implementation_(std::make_unique<Implementation>(progress, std::move(options))) {}

Watchdog::~Watchdog() = default;

std::string Watchdog::board_address() {
    const auto promise = std::make_shared<std::promise<std::string>>();
    auto address = promise->get_future();
    implementation_->post([promise](board::Keeper& keeper) {
        try {
            promise->set_value(keeper.board_address());
        } catch (...) {
            promise->set_exception(std::current_exception());
        }
    });
    if (address.wait_for(Implementation::patience) != std::future_status::ready) {
        throw Error(ExitCode::library, "the deadline watch does not answer",
                    "its thread may hang in the file system of the output",
                    "check that file system or choose another folder with --out");
    }
    return address.get();
}

void Watchdog::connect(int rank, int size, const std::string& board_address) {
    implementation_->post([rank, size, board_address](board::Keeper& keeper) {
        keeper.connect(rank, size, board_address);
    });
}

void Watchdog::set_plan(std::string plan_id, std::vector<CaseLabel> labels) {
    board::Plan plan{std::move(plan_id), std::move(labels)};
    implementation_->post([plan = std::move(plan)](board::Keeper& keeper) mutable {
        keeper.set_plan(std::move(plan));
    });
}

void Watchdog::announce_failure() {
    implementation_->post([](board::Keeper& keeper) { keeper.announce_failure(); });
}

void Watchdog::close() {
    implementation_->close();
}

}  // namespace railgauge
